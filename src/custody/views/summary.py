"""``summary.json`` and ``summary.md``: the end of a run in one page."""

from __future__ import annotations

from collections.abc import Iterator
from sys import intern

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from custody.model import layout
from custody.model.attempt_event import AttemptLost
from custody.model.change import Change
from custody.model.documents import StageSummary, Summary
from custody.model.event import (
    AnyFact,
    JournalLine,
    PipelineFailed,
    PipelineStarted,
    RequestAnswered,
    StageCompleted,
    StageFailed,
    StageStarted,
)
from custody.model.journal_version import VERSIONS
from custody.model.outcome import OutcomeStatus
from custody.model.process_event import PipelineReplaced
from custody.model.record import Record, encode
from custody.model.request import STAND_INS, AgentRequest
from custody.model.state import State
from custody.model.usage import UsageTotal, told_cost, told_tokens
from custody.views.ingests import Ingests
from custody.views.net import NetChanges
from custody.views.usage import UsageSums

SHOWN_CHANGES = 50
_CHUNK = 1 << 14
"""Bytes of rows that are decoded at a time."""


class _Visit(msgspec.Struct):
    """What a row needs of a visit that has not ended."""

    type: str
    seconds: float = 0.0
    changed: int = 0


class _Row(Record, frozen=True, array_like=True):
    """A row as it is kept, in as few bytes as it takes: there is one for each visit of a node."""

    node: str
    type: str
    visit: int
    attempts: int
    outcome: OutcomeStatus
    failure_reason: str
    seconds: float
    changed: int
    usage: UsageTotal | None = None

    def shown(self) -> StageSummary:
        """Return it as a summary has it."""
        return StageSummary(
            node=self.node,
            type=intern(self.type),
            visit=self.visit,
            attempts=self.attempts,
            outcome=self.outcome,
            failure_reason=self.failure_reason,
            seconds=self.seconds,
            changed=self.changed,
            folder=layout.attempt_folder(self.node, self.visit, self.attempts),
            usage=UNSET if self.usage is None else self.usage,
        )


class Summarizer:
    """Gathers what a summary needs, fact by fact; one row for each visit of a node."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._rows = bytearray()
        """A row a line, encoded: half of what they would take as objects, or less."""
        self._under_way: dict[str, _Visit] = {}
        self._net = NetChanges()
        self._usage = UsageSums()
        self._ingests = Ingests()
        self._started: PipelineStarted | None = None
        self._names_stand_ins = False
        self._warnings: tuple[str, ...] = ()
        self._reason = ""
        self._events = 0
        self._stand_ins: dict[str, set[str]] = {}
        self._asked: dict[str, str] = {}
        """The stand-in that each stage under way asks."""

    def add(self, line: JournalLine, fact: AnyFact, changes: tuple[Change, ...]) -> None:
        """Take one more line into account; ``changes`` are those of an answer."""
        self._events = line.seq + 1
        self._net.add(fact, changes)
        self._usage.add(fact)
        self._ingests.add(fact)
        match fact:
            case PipelineStarted():
                self._started = fact
                self._names_stand_ins = VERSIONS[line.schema_version].stand_ins_named
                self._warnings = fact.warnings
            case PipelineReplaced():
                self._warnings = fact.warnings
            case StageStarted():
                if fact.attempt == 1:
                    self._under_way[fact.node] = _Visit(fact.type)
                self._note_stand_in(fact)
            case RequestAnswered():
                visit = self._under_way[fact.node]
                if stand_in := self._asked.pop(fact.node, ""):
                    self._stand_ins.setdefault(stand_in, set()).add(fact.node)
                visit.seconds += fact.ack.seconds
                visit.changed += len(changes)
            case AttemptLost():
                if visit_lost := self._under_way.get(fact.node):
                    visit_lost.seconds += fact.spent.seconds
            case StageCompleted() | StageFailed():
                self._rows += encode(self._row(fact)) + b"\n"
            case PipelineFailed():
                self._reason = fact.reason

    def summary(self, state: State, head: str) -> Summary:
        """Return the summary of what was added; ``state`` is where the run stands by now."""
        started = self._started
        return Summary(
            run_id=self._run_id,
            pipeline="" if started is None else started.pipeline,
            goal="" if started is None else started.goal,
            status=state.status,
            reason=self._reason,
            stages=tuple(row.shown() for row in self._kept()),
            unhandled=dict(sorted(state.unhandled.items())),
            changed=tuple(change.path for change in self._net.changes()),
            active_seconds=round(state.active_seconds, 6),
            events=self._events,
            head=head,
            warnings=self._warnings or UNSET,
            stand_ins={name: tuple(sorted(nodes)) for name, nodes in self._answered()} or UNSET,
            usage=self._usage.total,
            ingested=self._ingests.documents() or UNSET,
        )

    def _note_stand_in(self, fact: StageStarted) -> None:
        """Remember who is asked, if it is nobody who works."""
        if self._names_stand_ins and isinstance(fact.request, AgentRequest):
            name = fact.request.agent.partition(":")[0]
            if name in STAND_INS:
                self._asked[fact.node] = name

    def _answered(self) -> list[tuple[str, set[str]]]:
        return sorted(self._stand_ins.items())

    def net_changes(self) -> tuple[Change, ...]:
        """Return how the workspace differs by now from what the run began with."""
        return tuple(self._net.changes())

    def _kept(self) -> Iterator[_Row]:
        """Yield the rows, some at a time."""
        decoder = msgspec.json.Decoder(_Row)
        start = 0
        while start < len(self._rows):
            end = self._rows.find(b"\n", start + _CHUNK) + 1 or len(self._rows)
            yield from decoder.decode_lines(self._rows[start:end])
            start = end

    def _row(self, fact: StageCompleted | StageFailed) -> _Row:
        visit = self._under_way.pop(fact.node)
        return _Row(
            node=fact.node,
            type=visit.type,
            visit=fact.visit,
            attempts=fact.attempt,
            outcome=fact.outcome.status,
            failure_reason=fact.outcome.failure_reason,
            seconds=round(visit.seconds, 6),
            changed=visit.changed,
            usage=self._usage.taken(fact.node) or None,
        )


def summary_text(summary: Summary) -> str:
    """Return the summary as Markdown."""
    lines = [f"# {summary.status}: {summary.pipeline}", ""]
    if summary.goal:
        lines += [summary.goal, ""]
    if summary.reason:
        lines += [f"**Reason:** {summary.reason}", ""]
    lines += [f"- **{node}** failed: {reason}" for node, reason in summary.unhandled.items()]
    lines += [f"- **warning:** {warning}" for warning in summary.warnings or ()]
    lines += [
        f"- **{name}** stood in for an agent: {', '.join(nodes)}"
        for name, nodes in (summary.stand_ins or {}).items()
    ]
    lines += ["", *_table(summary)]
    lines += ["", f"## Changed files ({len(summary.changed)})", ""]
    lines += [f"- `{path}`" for path in summary.changed[:SHOWN_CHANGES]]
    if len(summary.changed) > SHOWN_CHANGES:
        lines.append(f"- and {len(summary.changed) - SHOWN_CHANGES} more")
    lines += ["", f"Run `{summary.run_id}`, {summary.events} events, head `{summary.head}`.", ""]
    return "\n".join(lines)


def without_usage(summary: Summary) -> Summary:
    """Return the summary as journals before version 1.3 have it."""
    stages = tuple(replace(row, usage=UNSET) for row in summary.stages)
    return replace(summary, stages=stages, usage=UNSET, ingested=UNSET)


def _table(summary: Summary) -> Iterator[str]:
    """Yield one row a stage; tokens and cost where an agent was asked."""
    total = summary.usage
    told = total is not UNSET and total.told
    more = " tokens | cost |" if told else ""
    yield f"| stage | type | outcome | attempts | seconds | changed |{more} evidence |"
    yield f"|---|---|---|---|---|---|{'---|---|' if told else ''}---|"
    yield from (_table_row(row, told=told) for row in summary.stages)
    if total is not UNSET:
        yield ""
        yield f"Active time: {summary.active_seconds:.2f} s.{_spent(total)}"


def _table_row(row: StageSummary, *, told: bool) -> str:
    reason = f": {row.failure_reason}" if row.failure_reason else ""
    outcome = (row.outcome + reason).replace("|", "\\|").replace("\n", " ")
    cells = ["", ""] if row.usage is UNSET else [told_tokens(row.usage), told_cost(row.usage)]
    used = "".join(f" {cell} |" for cell in cells) if told else ""
    return (
        f"| {row.node} | {row.type} | {outcome} | {row.attempts} | {row.seconds:.2f} "
        f"| {row.changed} |{used} `{row.folder}` |"
    )


def _spent(total: UsageTotal) -> str:
    if not total.answers:
        return ""
    return f" Tokens: {told_tokens(total)}. Cost: {told_cost(total)}."

"""``summary.json`` and ``summary.md``: the end of a run in one page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
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
from custody.model.record import Record, encode, encode_pretty, ready
from custody.model.request import STAND_INS, AgentRequest
from custody.model.state import State
from custody.model.usage import UsageTotal, told_cost, told_tokens
from custody.views.ingests import Ingests
from custody.views.net import NetChanges
from custody.views.usage import UsageSums

SHOWN_CHANGES = 50
_CHUNK = 1 << 15
"""Bytes of rows that are packed and decoded at a time."""
_QUICKLY = 1
_ROWS = 200
"""Rows that are written at a time."""
_NO_ROWS = b'"stages": []'
"""How an indented summary without rows says so; inside a text its quotes would be escaped."""


class _Visit(msgspec.Struct):
    """What a row needs of a visit that has not ended."""

    type: str
    seconds: float = 0.0
    changed: int = 0
    stand_ins: tuple[str, ...] = ()


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
    stand_ins: tuple[str, ...] = ()
    """Who answered it and is no agent that works."""

    def shown(self, usage: UsageTotal | None) -> StageSummary:
        """Return it as a summary has it, with a usage that is like its own."""
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
            usage=UNSET if usage is None else usage,
        )


class _Rows:
    """Keeps the rows of a run in little memory, however many they are.

    They are much alike: packed they take a tenth, and as objects fifteen times as much as that.
    """

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._open = bytearray()
        """A row a line, encoded, until they are worth packing."""

    def add(self, row: _Row) -> None:
        """Keep one more."""
        self._open += encode(row) + b"\n"
        if len(self._open) >= _CHUNK:
            from zlib import compress

            self._packed.append(compress(self._open, _QUICKLY))
            self._open.clear()

    def __iter__(self) -> Iterator[_Row]:
        """Yield them in order, some of them decoded at a time."""
        decoder = msgspec.json.Decoder(ready(_Row))
        if self._packed:
            from zlib import decompress

            for packed in self._packed:
                yield from decoder.decode_lines(decompress(packed))
        yield from decoder.decode_lines(self._open)


class Summarizer:
    """Gathers what a summary needs, fact by fact; one row for each visit of a node."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._rows = _Rows()
        self._under_way: dict[str, _Visit] = {}
        self._net = NetChanges()
        self._usage = UsageSums()
        self._ingests = Ingests()
        self._started: PipelineStarted | None = None
        self._names_stand_ins = False
        self._warnings: tuple[str, ...] = ()
        self._reason = ""
        self._events = 0
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
                    self._begin(fact)
                self._note_stand_in(fact)
            case RequestAnswered():
                visit = self._under_way[fact.node]
                stand_in = self._asked.pop(fact.node, "")
                if stand_in and stand_in not in visit.stand_ins:
                    visit.stand_ins = (*visit.stand_ins, stand_in)
                visit.seconds += fact.ack.seconds
                visit.changed += len(changes)
            case AttemptLost():
                if visit_lost := self._under_way.get(fact.node):
                    visit_lost.seconds += fact.spent.seconds
            case StageCompleted() | StageFailed():
                self._rows.add(self._row(fact))
            case PipelineFailed():
                self._reason = fact.reason

    def summary(self, state: State, head: str) -> Summary:
        """Return the summary of what was added; ``state`` is where the run stands by now."""
        started = self._started
        stages, stand_ins = self._told()
        return Summary(
            run_id=self._run_id,
            pipeline="" if started is None else started.pipeline,
            goal="" if started is None else started.goal,
            status=state.status,
            reason=self._reason,
            stages=stages,
            unhandled=dict(sorted(state.unhandled.items())),
            changed=tuple(change.path for change in self._net.changes()),
            active_seconds=round(state.active_seconds, 6),
            events=self._events,
            head=head,
            warnings=self._warnings or UNSET,
            stand_ins=stand_ins or UNSET,
            usage=self._usage.total,
            ingested=self._ingests.documents() or UNSET,
        )

    def _begin(self, fact: StageStarted) -> None:
        """Begin a row; whoever answered a visit that was set aside has answered the stage."""
        aside = self._under_way.get(fact.node)
        stand_ins = aside.stand_ins if aside else ()
        self._under_way[fact.node] = _Visit(fact.type, stand_ins=stand_ins)

    def _note_stand_in(self, fact: StageStarted) -> None:
        """Remember who is asked, if it is nobody who works."""
        if self._names_stand_ins and isinstance(fact.request, AgentRequest):
            name = fact.request.agent.partition(":")[0]
            if name in STAND_INS:
                self._asked[fact.node] = name

    def _told(self) -> tuple[tuple[StageSummary, ...], dict[str, tuple[str, ...]]]:
        """Return the rows, and by stand-in the stages that it answered.

        What is the same in one row after the other is kept once.
        """
        rows: list[StageSummary] = []
        answered: dict[str, list[str]] = {}
        last: UsageTotal | None = None
        for row in self._rows:
            last = last if row.usage == last else row.usage
            rows.append(row.shown(last))
            for name in row.stand_ins:
                answered.setdefault(name, []).append(row.node)
        for node, visit in self._under_way.items():
            for name in visit.stand_ins:
                answered.setdefault(name, []).append(node)
        return tuple(rows), {name: _each_once(answered[name]) for name in sorted(answered)}

    def net_changes(self) -> tuple[Change, ...]:
        """Return how the workspace differs by now from what the run began with."""
        return tuple(self._net.changes())

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
            stand_ins=visit.stand_ins,
        )


def _each_once(names: list[str]) -> tuple[str, ...]:
    """Return the names in order; a set of as many would take more memory than the names."""
    return tuple(name for name, _ in groupby(sorted(names)))


def summary_document(summary: Summary) -> Iterator[bytes]:
    """Yield what `encode_pretty` makes of a summary, some of its rows at a time.

    All at once, the rows of a long run would take several times what the run needs otherwise.
    """
    frame = encode_pretty(replace(summary, stages=()))
    if not summary.stages:
        yield frame
        return
    before, _, after = frame.partition(_NO_ROWS)
    yield before + _NO_ROWS[:-1]
    for begin in range(0, len(summary.stages), _ROWS):
        rows = encode_pretty(summary.stages[begin : begin + _ROWS])
        inner = rows.removeprefix(b"[").removesuffix(b"\n]\n")
        yield (b"," if begin else b"") + inner.replace(b"\n", b"\n  ")
    yield b"\n  ]" + after


def summary_page(summary: Summary) -> Iterator[bytes]:
    """Yield the summary as Markdown, some of its lines at a time."""
    lines = _lines(summary)
    while some := tuple(islice(lines, _ROWS)):
        yield "\n".join((*some, "")).encode()


def _lines(summary: Summary) -> Iterator[str]:
    yield from (f"# {summary.status}: {summary.pipeline}", "")
    if summary.goal:
        yield from (summary.goal, "")
    if summary.reason:
        yield from (f"**Reason:** {summary.reason}", "")
    for node, reason in summary.unhandled.items():
        yield f"- **{node}** failed: {reason}"
    for warning in summary.warnings or ():
        yield f"- **warning:** {warning}"
    for name, nodes in (summary.stand_ins or {}).items():
        yield f"- **{name}** stood in for an agent: {', '.join(nodes)}"
    yield ""
    yield from _table(summary)
    yield from ("", f"## Changed files ({len(summary.changed)})", "")
    for path in summary.changed[:SHOWN_CHANGES]:
        yield f"- `{path}`"
    if len(summary.changed) > SHOWN_CHANGES:
        yield f"- and {len(summary.changed) - SHOWN_CHANGES} more"
    yield from ("", f"Run `{summary.run_id}`, {summary.events} events, head `{summary.head}`.")


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

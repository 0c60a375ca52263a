"""All views of one run, kept while its facts come in: the one way they are ever made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from custody.errors import JournalBroken
from custody.model import layout
from custody.model.change import Change, Tree
from custody.model.documents import Checkpoint, Manifest, Summary
from custody.model.event import (
    AnyFact,
    Heard,
    JournalLine,
    PipelineStarted,
    Position,
    RequestAnswered,
    StageStarted,
)
from custody.model.journal_version import CURRENT, VERSIONS
from custody.model.record import encode_pretty
from custody.model.request import AgentRequest
from custody.model.skill import PIPELINE
from custody.model.state import State
from custody.views.checkpoint import checkpoint
from custody.views.claims import GatheredClaims
from custody.views.manifest import closing_manifest, opening_manifest
from custody.views.status import stage_status
from custody.views.summary import Summarizer, without_usage
from custody.views.trace import trace_line

if TYPE_CHECKING:
    from custody.model.evidence import Evidence
    from custody.model.packet import Packet
    from custody.views.job import JobAccount

ChangesOf = Callable[[RequestAnswered], tuple[Change, ...]]
"""Tells what a recorded attempt changed."""


class Made(msgspec.Struct, frozen=True):
    """What one journal line adds to the views."""

    trace: bytes
    status_path: str
    """Empty when the line ends no attempt."""
    status: bytes
    timeline: bytes = b""
    """Of a skill job."""


class Collector:
    """Takes journal lines in order and gives the documents made from them."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.state = State()
        self._summarizer = Summarizer(run_id)
        self._opening: Manifest | None = None
        self._seconds: dict[str, float] = {}
        """What the last attempt at each stage under way has taken."""
        self._last_ts = ""
        self._asked: dict[str, str] = {}
        """The agents that are at work, by request."""
        self._answered_by: set[str] = set()
        self._version = CURRENT
        self._claims = GatheredClaims()
        self.job: JobAccount | None = None
        """What is told of the run as a skill job; None when it is none."""

    def add(self, line: JournalLine, fact: AnyFact, changes: tuple[Change, ...]) -> Made:
        """Take one more line into account; ``changes`` are those of an answer."""
        self._last_ts = line.ts
        if isinstance(fact, PipelineStarted):
            self._opening = opening_manifest(self.run_id, fact, line.ts)
            self.job = account_of(self.run_id, line, fact)
            self._version = VERSIONS[line.schema_version]
        elif isinstance(fact, StageStarted):
            self._seconds[fact.node] = 0.0
            if isinstance(fact.request, AgentRequest):
                self._asked[fact.request.id] = fact.request.agent
        elif isinstance(fact, RequestAnswered):
            self._seconds[fact.node] = fact.ack.seconds
            if agent := self._asked.pop(fact.ack.request_id, ""):
                self._answered_by.add(agent)
        trace = trace_line(line, fact, self.state)
        timeline = b"" if self.job is None else self.job.add(line, fact)
        self.state.apply(fact)
        self._summarizer.add(line, fact, changes)
        if self._version.packets:
            self._claims.add(line, fact, changes)
        status = stage_status(fact, self._seconds.get(line.node or "", 0.0))
        if status is None:
            return Made(trace, "", b"", timeline)
        if fact.traits.boundary:
            self._seconds.pop(line.node or "", None)
        folder, document = status
        return Made(trace, f"{folder}/{layout.STATUS}", encode_pretty(document), timeline)

    def checkpoint(self, reached: Position) -> Checkpoint:
        """Return the checkpoint after the lines so far."""
        return checkpoint(self.run_id, self.state, reached)

    def opening(self) -> Manifest:
        """Return the manifest while the run goes on."""
        if self._opening is None:
            raise JournalBroken("genesis", "the journal does not begin with PipelineStarted")
        return self._opening

    def closing(self, reached: Position, workspace: Tree) -> Manifest:
        """Return the manifest of the ended run."""
        return closing_manifest(
            self.opening(),
            self.state,
            reached,
            ended_at=self._last_ts,
            workspace=workspace,
            answered_by=self._answered_by if self._version.agents_named else None,
        )

    def net_changes(self) -> tuple[Change, ...]:
        """Return how the workspace differs by now from what the run began with."""
        return self._summarizer.net_changes()

    def summary(self, head: str) -> Summary:
        """Return the summary of the lines so far."""
        found = self._summarizer.summary(self.state, head)
        if self.job is None:
            return found
        from custody.views.job_summary import job_summary

        return job_summary(found, self.job)

    def job_views(self) -> dict[str, bytes]:
        """Return the documents of a skill job that there are at any time; none for another run."""
        if self.job is None:
            return {}
        return {
            layout.JOB_TIMELINE: bytes(self.job.lines),
            layout.JOB_MANIFEST: encode_pretty(self.job.manifest()),
        }

    def packet(self, head: str, contents: Callable[[Evidence], bytes | None]) -> Packet | None:
        """Return the packet of the ended run; None for journals of before there were any."""
        if not self._version.packets:
            return None
        from custody.views.packet import Packer

        packer = Packer(self.run_id, self._claims, self.state, contents)
        return packer.packet(head, self.net_changes())

    def closing_summary(self, head: str) -> Summary:
        """Return the summary as its file holds it: only what the journal's version tells."""
        found = self.summary(head)
        return found if self._version.usage_summed else without_usage(found)


def account_of(run_id: str, line: JournalLine, started: PipelineStarted) -> JobAccount | None:
    """Return what gathers the facts of a run that is a skill job; None for any other."""
    if started.pipeline != PIPELINE:
        return None
    from custody.views.job import JobAccount

    return JobAccount(run_id, line, started)


def collected(run_id: str, lines: Iterable[Heard], changes_of: ChangesOf) -> Collector:
    """Return a collector that has taken in every line."""
    collector = Collector(run_id)
    for line, fact in lines:
        changes = changes_of(fact) if isinstance(fact, RequestAnswered) else ()
        collector.add(line, fact, changes)
    return collector

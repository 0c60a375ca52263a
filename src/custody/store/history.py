"""One history of a journal, read once: how a run began, what became of it, where its lines lie.

Little of what the lines say is kept, so that a journal of any length can be held. Whoever needs
more asks for lines: all that count, those of one node, those after one. They are read from the
file again where they were found, and must still be the same.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from typing import Self

from custody.errors import JournalBroken
from custody.model import layout
from custody.model.attempt_event import AnswerArrived, AttemptLost
from custody.model.change import Change, Layer, WorkspaceDiff
from custody.model.confinement import ChosenLevel
from custody.model.event import (
    AnyFact,
    GuardrailViolation,
    Heard,
    JournalLine,
    PipelineStarted,
    Position,
    RequestAnswered,
    StageFailed,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.fact import RunStatus
from custody.model.journal_version import CURRENT, VERSIONS, JournalVersion
from custody.model.letter_event import QuestionAsked
from custody.model.process_event import AgentReplaced, PipelineReplaced, RunWaiting
from custody.model.record import decode, encode
from custody.model.request import Ack, AnyRequest, Spent
from custody.model.session import RecordedSession, outdated
from custody.model.session_event import SessionClosed, SessionOpened
from custody.model.verify_event import Announcement
from custody.store.chain import Chain, Lines, Link, decoded
from custody.store.journal_file import chunks, good, open_journal, where
from custody.store.line_index import LineIndex
from custody.store.process_times import ProcessTimes
from custody.store.rundir import RunDirectory


class History:
    """The journal of one run, as far as it has been heard."""

    def __init__(self, run: RunDirectory) -> None:
        self.run = run
        self.replaced: list[PipelineReplaced] = []
        """Every change of the pipeline."""
        self.waiting: tuple[str, RunWaiting] | None = None
        """What a person must answer, and since when; None when the run does not wait."""
        self.letters: set[str] = set()
        """What people were asked, and where the answers belong, by path."""
        self.sessions: dict[str, RecordedSession] = {}
        """The last generation of each session, by the session's name."""
        self.beyond_end = 0
        """The first line with a decision after the run's end; 0 when there is none."""
        self.version: JournalVersion = CURRENT
        self._genesis: PipelineStarted | None = None
        self._ended: tuple[int, RunStatus] | None = None
        self._index = LineIndex()
        self._agents: list[tuple[int, str]] = []
        """Who was to be asked from which line on, where that was changed."""
        self._documents: dict[str, list[int]] = {}
        """The lines whose answers wrote each document."""
        self._arrived: dict[str, int] = {}
        """The lines of answers that came before their turn, by request."""
        self._taken_up: dict[str, int] = {}
        """The lines where their turn came."""
        self.times = ProcessTimes()
        self._lost: dict[str, tuple[int, float]] = {}
        """The seconds that attempts have lost, by request, and the last line that tells of it."""

    @classmethod
    def read(cls, run: RunDirectory) -> Self:
        """Read a journal once; raises `JournalBroken`. An unfinished last line is left out."""
        history = cls(run)
        descriptor = open_journal(run.root)
        try:
            chain = Chain(chunks(descriptor, os.fstat(descriptor).st_size), run.run_id)
            for link in good(chain, run.root, torn_ok=True):
                history.add(link)
        finally:
            os.close(descriptor)
        return history

    def add(self, link: Link) -> None:
        """Take in the next line, as it was found in the file."""
        self._add(link.line, link.fact, len(link.raw) + 1, link.digest)

    def note(self, line: JournalLine, fact: AnyFact) -> None:
        """Take in the next line, as it will be written."""
        raw = encode(line)
        self._add(line, fact, len(raw) + 1, hashlib.sha256(raw).hexdigest())

    @property
    def genesis(self) -> PipelineStarted:
        """What the run was started with; raises `JournalBroken` when there is no first line."""
        if self._genesis is None:
            what = "the journal does not begin with PipelineStarted"
            raise JournalBroken("genesis", what, line=1, where=where(self.run.root))
        return self._genesis

    @property
    def count(self) -> int:
        """How many lines there are."""
        return len(self._index)

    @property
    def position(self) -> Position:
        """How far the journal goes."""
        return Position(self.count, self._index.end, self.digest(self.count - 1))

    @property
    def status(self) -> RunStatus:
        """How the run has ended; RUNNING when it has not."""
        return "RUNNING" if self._ended is None else self._ended[1]

    @property
    def confinement(self) -> ChosenLevel | None:
        """How the run's programs are confined; None when it has not started any."""
        later = [fact.confinement for fact in self.replaced if fact.confinement is not None]
        return later[-1] if later else self.genesis.confinement

    @property
    def agent(self) -> str:
        """Who is asked by now where a node names nobody."""
        return self._agents[-1][1] if self._agents else self.genesis.agent

    @property
    def pipeline_sha256(self) -> str:
        """The sha256 of the current pipeline."""
        return self.replaced[-1].new_sha256 if self.replaced else self.genesis.pipeline_sha256

    @property
    def pipelines(self) -> set[str]:
        """The sha256 of every pipeline that the run has had."""
        return {self.genesis.pipeline_sha256, *(fact.new_sha256 for fact in self.replaced)}

    @property
    def parts(self) -> dict[str, str]:
        """The sha256 of every part of the current pipeline, by the name it is kept under."""
        return self.replaced[-1].parts if self.replaced else self.genesis.parts

    def digest(self, seq: int) -> str:
        """Return the sha256 of a line, without its newline."""
        return self._index.digest(seq).hex()

    def reaches(self, head: str, count: int | None = None) -> bool:
        """Whether a line has that sha256; with ``count``, whether the last of so many has."""
        if count is None:
            return self._index.find(head) is not None
        return 0 < count <= self.count and self.digest(count - 1) == head

    def seq_of(self, head: str) -> int | None:
        """Return the line that has a sha256; None when there is none."""
        return self._index.find(head)

    @property
    def sources(self) -> set[str]:
        """The sha256 of everything that pipelines of the run were read from, past ones too."""
        parts = [self.genesis.parts, *(fact.parts for fact in self.replaced)]
        return self.pipelines | {sha256 for one in parts for sha256 in one.values()}

    def lines(self, first: int = 0, last: int | None = None) -> Iterator[Heard]:
        """Yield the lines that count from ``first`` to ``last``, in one go through the file."""
        descriptor = open_journal(self.run.root)
        try:
            for row in self._index.counting(first, last):
                yield from self._read(descriptor, *row)
        finally:
            os.close(descriptor)

    def lines_before(self, seq: int) -> Iterator[Heard]:
        """Yield the lines that count before one, the last first; each is read when it is due."""
        for first, last in reversed([*self._index.counting(0, seq - 1)]):
            yield from self._read_each(range(last, first - 1, -1))

    def lines_of(self, node: str) -> Iterator[Heard]:
        """Yield the lines about a node that count, and read no others."""
        yield from self._read_each(self._index.of_node(node))

    def knows(self, node: str) -> bool:
        """Whether a line that counts is about a node."""
        return bool(self._index.of_node(node))

    @property
    def cut_nodes(self) -> set[str]:
        """Nodes of which lines no longer count."""
        return self._index.cut

    def attempts_at(self, node: str) -> set[str]:
        """Return the attempts at a node that count, each as ``<visit>.<attempt>``."""
        facts = (fact for _, fact in self._read_each(self._of_kind(node, StageStarted)))
        started = (fact for fact in facts if isinstance(fact, StageStarted))
        return {layout.attempt_number(fact.visit, fact.attempt) for fact in started}

    def last_visit(self, node: str) -> int | None:
        """Return the line where a node was entered last; None when it never was."""
        starts = self._of_kind(node, StageStarted)
        for line, fact in self._read_each(reversed(starts)):
            if isinstance(fact, StageStarted) and fact.attempt == 1:
                return line.seq
        return None

    def documents(self) -> dict[str, Evidence]:
        """Return what was written last to each document, by path."""
        written = {path: lines[-1] for path, lines in self._documents.items() if lines}
        read = {line.seq: fact for line, fact in self._read_each(sorted({*written.values()}))}
        return {
            path: item
            for path, seq in written.items()
            for item in read[seq].evidence()
            if item.path == path
        }

    def open_requests(self) -> list[AnyRequest]:
        """Return what was asked for and has no answer: the work that is in doubt after a crash."""
        requests = (started.request for _, started in self.open_attempts())
        return [request for request in requests if request is not None]

    def open_attempts(self) -> list[tuple[JournalLine, StageStarted]]:
        """Return the attempts that have begun and have no answer, with their first lines."""
        due = [
            lines[-1]
            for node in self._index.nodes()
            if (lines := self._of_kind(node, StageStarted, RequestAnswered, StageFailed))
            and self._index.kind(lines[-1]) is StageStarted
        ]
        heard = self._read_each(sorted(due))
        return [(line, fact) for line, fact in heard if isinstance(fact, StageStarted)]

    def lost_seconds(self, request_id: str) -> float:
        """Return how long a request was worked on by attempts that were broken off."""
        return self._lost.get(request_id, (0, 0.0))[1]

    def arrived(self, request_id: str) -> Ack | None:
        """Return the answer that came before its turn; None when none did, or its turn came."""
        seq = self._arrived.get(request_id)
        if seq is None or request_id in self._taken_up:
            return None
        facts = (fact for _, fact in self._read_each([seq]))
        return next(fact.ack for fact in facts if isinstance(fact, AnswerArrived))

    def layers(self, requests: Iterable[str]) -> dict[str, Layer | None]:
        """Return those of the requests that were answered; for each that was refused, its layer."""
        layers: dict[str, Layer | None] = {}
        for request in requests:
            last: RequestAnswered | None = None
            for _, fact in self.lines_of(layout.node_of(request)):
                if isinstance(fact, RequestAnswered):
                    last = fact if fact.ack.request_id == request else None
                    layers |= {request: None} if last is not None else {}
                elif isinstance(fact, StageStarted):
                    last = None
                elif isinstance(fact, GuardrailViolation) and last is not None:
                    layers[request] = self.diff_of(last).layer or None
        return layers

    def spent_after(self, seq: int) -> dict[str, Spent]:
        """Return what the lines after one have cost, by node, and what those set aside before."""
        spent: dict[str, Spent] = {}
        for _, fact in self.lines(seq + 1):
            costs: dict[str, Spent] = {}
            if isinstance(fact, RequestAnswered | AnswerArrived) and self._lost_after(seq, fact):
                costs = {fact.node: fact.ack.spent()}
            elif isinstance(fact, AttemptLost):
                costs = {fact.node: fact.spent}
            elif isinstance(fact, PipelineReplaced):
                costs = fact.discarded
            for node, cost in costs.items():
                spent[node] = spent.get(node, Spent()).plus(cost)
        return spent

    def _lost_after(self, seq: int, fact: RequestAnswered | AnswerArrived) -> bool:
        """Whether an answer is lost without the lines after one, and is not told of twice."""
        request = fact.ack.request_id
        if isinstance(fact, AnswerArrived):
            return request not in self._taken_up
        return self._arrived.get(request, seq + 1) > seq

    def changes_of(self, answered: RequestAnswered) -> tuple[Change, ...]:
        """Return what a recorded attempt changed."""
        return self.diff_of(answered).changes

    def diff_of(self, answered: RequestAnswered) -> WorkspaceDiff:
        """Return everything about what a recorded attempt changed."""
        data = self.run.read_evidence(answered.diff)
        return decode(data, WorkspaceDiff, where=answered.diff.path)

    def _add(self, line: JournalLine, fact: AnyFact, size: int, digest: str) -> None:
        self._index.add(line, size, digest)
        self.times.add(line.ts, fact)
        traits = fact.traits
        if self._ended is not None and traits.decision and not self.beyond_end:
            self.beyond_end = line.seq
        if traits.ends_run is not None:
            self._ended = line.seq, traits.ends_run
        if traits.waiting is not None:
            self.waiting = (line.ts, fact) if isinstance(fact, RunWaiting) else None
        self._take(line, fact)

    def _take(self, line: JournalLine, fact: AnyFact) -> None:
        """Remember what a fact says that is asked for later."""
        match fact:
            case PipelineStarted():
                self._genesis, self.version = fact, VERSIONS[line.schema_version]
                self._take_documents(line.seq, fact.documents)
            case PipelineReplaced():
                self._set_aside(fact.kept_seq, line.seq)
                self.replaced.append(fact)
                self.sessions = {name: outdated(one) for name, one in self.sessions.items()}
            case RequestAnswered():
                self._take_answer(line.seq, fact)
            case Announcement():
                self._take_documents(line.seq, fact.documents)
            case AgentReplaced():
                self._agents.append((line.seq, fact.agent))
            case AnswerArrived():
                self._arrived[fact.ack.request_id] = line.seq
            case AttemptLost():
                before = self.lost_seconds(fact.request_id)
                self._lost[fact.request_id] = line.seq, before + fact.spent.seconds
            case RunWaiting():
                self.letters |= {fact.path, fact.answer}
            case QuestionAsked():
                self.letters |= {fact.question.path, fact.answer}
            case SessionOpened() | SessionClosed():
                is_open = isinstance(fact, SessionOpened)
                self.sessions[fact.session] = RecordedSession(token=fact.token, open=is_open)

    def _take_answer(self, seq: int, fact: RequestAnswered) -> None:
        if fact.ack.request_id in self._arrived:
            self._taken_up[fact.ack.request_id] = seq
        self._take_documents(seq, fact.ack.evidence)

    def _take_documents(self, seq: int, files: tuple[Evidence, ...]) -> None:
        for item in files:
            if item.is_document:
                self._documents.setdefault(item.path, []).append(seq)

    def _set_aside(self, kept: int, at: int) -> None:
        self._index.set_aside(kept, at)
        for lines in self._documents.values():
            while lines and lines[-1] > kept:
                lines.pop()
        for known in (self._arrived, self._taken_up):
            for request in [request for request, seq in known.items() if seq > kept]:
                del known[request]
        self._agents = [one for one in self._agents if one[0] <= kept]
        self._lost = {name: lost for name, lost in self._lost.items() if lost[0] <= kept}
        if self._ended is not None and self._ended[0] > kept:
            self._ended = None
        if self.beyond_end > kept:
            self.beyond_end = 0

    def _of_kind(self, node: str, *kinds: type[AnyFact]) -> list[int]:
        return [seq for seq in self._index.of_node(node) if self._index.kind(seq) in kinds]

    def _read_each(self, lines: Iterable[int]) -> Iterator[Heard]:
        descriptor = open_journal(self.run.root)
        try:
            for seq in lines:
                yield from self._read(descriptor, seq, seq)
        finally:
            os.close(descriptor)

    def _read(self, descriptor: int, first: int, last: int) -> Iterator[Heard]:
        """Yield a row of lines; raises `JournalBroken` when one is not what it was."""
        start, end = self._index.span(first, last)
        seq = first
        for raw in Lines(chunks(descriptor, end, start)):
            if hashlib.sha256(raw).digest() != self._index.digest(seq):
                break
            yield decoded(raw)
            seq += 1
        if seq <= last:
            at = f"{where(self.run.root)}:{seq + 1}"
            raise JournalBroken("chain_broken", "it has changed since it was read", where=at)

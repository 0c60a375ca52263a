"""One look at a run directory, claim by claim, with nothing but the directory itself.

chain       every line of the journal follows from the one before, up to the known head
evidence    every file that a line names is there, with the bytes the line says
workspace   the workspace of an ended run is what its stages left
views       every document made from the journal can be made again, the same bytes
blobs       every blob is what its name says, and every one that is needed is there
decisions   the recorded answers lead to the recorded decisions
unclaimed   there is no file that nothing accounts for
name        the directory is called as the run is
head        a line of the journal has the hash that somebody has kept
layers      what refused stages left is as it was; of the others nothing is left

What was written last is read first: checkpoint and manifest, then the journal, which reaches them
at any moment, then the files. Those of a run that is not at rest may lag behind, or be ahead.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from functools import cached_property, partial
from typing import TypeVar

from custody.engine.layer_audit import check_layers
from custody.engine.replay import play
from custody.engine.result import RunResult
from custody.engine.run_pipeline import pipeline_of
from custody.engine.under_way import UnderWay
from custody.engine.verification import Mismatch, Verification, unknown
from custody.errors import CustodyError, JournalBroken
from custody.model import layout
from custody.model.change import Change, Entry, Tree
from custody.model.documents import Checkpoint, Manifest
from custody.model.event import AnyFact, Heard, RequestAnswered
from custody.model.evidence import Evidence
from custody.model.record import Record, encode_pretty
from custody.store.history import History
from custody.store.journal import verify_journal
from custody.store.rundir import RunDirectory
from custody.views.collect import Collector
from custody.views.writer import closing_files
from custody.workspace.tree import listing, tree_of
from custody.workspace.workspace import differences, read_tree

_T = TypeVar("_T", bound=Record)
_GOING_ON = frozenset({"head_mismatch", "torn"})
"""What a journal shows that is being written again after the run's end."""


class Audit:
    """One look at one run directory; each method yields what does not hold."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run
        self.history = History(run)
        self._collector = Collector(run.run_id)
        self._trace = bytearray()
        self._views: dict[str, bytes] = {}
        """What each view must be, by path."""
        self._evidence: dict[str, Evidence] = {}
        """What each named file must be; where a document was written twice, the last."""
        self._needed: dict[str, str] = {}
        """Blobs that something names, with what names them."""
        self._lines = 0
        self._blobs = 0
        self._after_head = 0
        self._unnamed: list[str] = []
        """Blobs that nothing names."""
        self.final = Tree(sha256="", entries=0, bytes=0)
        """What the workspace is at the end."""
        self._unreadable: list[Mismatch] = []
        """Changes of stages that cannot be told any more."""
        self._diverged: Mismatch | None = None
        """Where the recorded answers lead to other decisions."""
        self._known: Manifest | None = None
        """The manifest as it was when the look began."""
        self._taken_up = False
        """Whether the journal goes on after the end that the manifest tells of."""
        self._state = self._journal_state()

    def mismatches(self, head: str = "", *, rebuild: bool = False) -> Iterator[Mismatch]:
        """Check everything; with ``rebuild``, write the views anew before they are looked at."""
        broken = list(self.chain())
        yield from broken
        if not broken:
            yield from self._of(self.read)
            yield from self._of(self.workspace)
            if rebuild:
                self.rebuild()
            for step in (self.evidence, self.views, self.blobs, self.decisions, self.unclaimed):
                yield from self._of(step)
            yield from self._of(partial(check_layers, self.history, ended=self.ended()))
            yield from self.kept_head(head)
        yield from self.name()

    def _of(self, step: Callable[[], Iterator[Mismatch]]) -> Iterator[Mismatch]:
        """Yield what a step finds; what it cannot look at does not hold either."""
        try:
            yield from step()
        except CustodyError as error:
            yield _mismatch("unreadable", error)

    def verification(self, mismatches: tuple[Mismatch, ...]) -> Verification:
        """Return the result."""
        return Verification(
            run_id=self._run.run_id,
            status=self._collector.state.status,
            lines=self._lines,
            evidence=len(self._evidence),
            blobs=self._blobs,
            mismatches=mismatches,
            head=self.history.position.head if self._lines else "",
            after_head=self._after_head,
            unknown=self._unknown(),
        )

    def result(self) -> RunResult:
        """Return what the run came to."""
        summary = self._collector.summary(self.history.position.head)
        return RunResult(
            run_id=self._run.run_id,
            path=self._run.path,
            summary=summary,
            state=summary.status,
            source=self.history.genesis.workdir,
            confinement=self.history.confinement,
        )

    def net_changes(self) -> tuple[Change, ...]:
        """Return how the workspace differs from what the run began with."""
        return self._collector.net_changes()

    def _unknown(self) -> tuple[str, ...]:
        """Name what is there beside the record; blobs of a run at work may be named any moment."""
        if not self._lines:
            return ()
        try:
            return unknown(self._run, self._unnamed if self.ended() else ())
        except CustodyError:
            if self._complete():
                raise
            return ()  # a folder was moved by the run, which is at work

    def name(self) -> Iterator[Mismatch]:
        """Tell whether the directory is called as the run is."""
        if self._run.name != self._run.run_id:
            what = f"the directory is called {self._run.name!r}, its run {self._run.run_id!r}"
            yield Mismatch(code="name", where=self._run.path, what=what)

    def kept_head(self, head: str) -> Iterator[Mismatch]:
        """Tell whether the journal holds the line that somebody knows the hash of."""
        if not head:
            return
        seq = self.history.seq_of(head)
        if seq is None:
            what = f"no line has the hash {head[:12]}…: it is not the journal that was known then"
            yield Mismatch("head_mismatch", layout.EVENTS, what)
            return
        self._after_head = self._lines - seq - 1

    def chain(self) -> Iterator[Mismatch]:
        """Prove every line, and that none is missing at the end.

        An ended run's manifest says where its journal ends; one that goes on must at least
        reach its checkpoint.
        """
        self._known = known = self._document(layout.MANIFEST, Manifest)
        reached = self._document(layout.CHECKPOINT, Checkpoint)
        if known is not None and known.events:
            yield from self._chain_of_ended(known)
            return
        try:
            self.history = History.read(self._run)
        except JournalBroken as broken:
            yield _mismatch(broken.code, broken)
            return
        if reached is not None and not self.history.reaches(reached.head):
            yield Mismatch("head_mismatch", layout.EVENTS, f"it does not reach {layout.CHECKPOINT}")

    def _chain_of_ended(self, known: Manifest) -> Iterator[Mismatch]:
        """Prove a journal whose end was told; it may have been taken up since."""
        faults = verify_journal(
            self._run.root,
            run_id=self._run.run_id,
            count=known.events,
            head=known.head,
            hear=self.history.add,
        )
        past_end = self.history.count > known.events and not self.history.beyond_end
        self._taken_up = past_end and self.history.reaches(known.head, known.events)
        for fault in faults:
            if not (self._taken_up and fault.code in _GOING_ON):
                yield _mismatch(fault.code, fault)

    def read(self) -> Iterator[Mismatch]:
        """Take in every line that counts, note what it claims, and play the answers again."""
        self._lines = self.history.count
        lines = self._noted()
        self._diverged = self._play(lines)
        deque(lines, maxlen=0)  # what a replay that diverged has left is noted as well
        yield from self._unreadable
        self._views |= {layout.TRACE: bytes(self._trace), **self._collector.job_views()}
        try:
            source = self._run.blobs.get(self.history.pipeline_sha256)
            self._views[layout.PIPELINE] = source
        except CustodyError as error:
            yield _mismatch("blob", error)

    def _noted(self) -> Iterator[Heard]:
        """Yield every line that counts when it has been taken in."""
        for line, fact in self.history.lines():
            self._note_evidence(fact)
            made = self._collector.add(line, fact, self._changes_of(fact))
            self._needed[self._collector.state.pipeline_sha256] = layout.PIPELINE
            for name, sha256 in self._collector.state.parts.items():
                self._needed[sha256] = name
            self._trace += made.trace
            if made.status_path:
                self._views[made.status_path] = made.status
            yield line, fact

    def _play(self, lines: Iterator[Heard]) -> Mismatch | None:
        """Play the recorded answers again; return how that leads elsewhere."""
        try:
            played = play(self.history, pipeline_of(self.history), lines)
        except CustodyError as error:
            return _mismatch("decisions", error)
        if not played.divergence:
            return None
        return Mismatch("decisions", layout.EVENTS, played.divergence)

    def rebuild(self) -> None:
        """Write what the journal can make again: views, and files whose text it holds."""
        for path, evidence in self._evidence.items():
            if evidence.text is not None:
                self._run.write(path, evidence.text.encode())
        self._add_closing_views()
        for path, data in self._views.items():
            self._run.write(path, data)

    def evidence(self) -> Iterator[Mismatch]:
        """Compare every named file with what the journal says of it."""
        for path, evidence in self._evidence.items():
            try:
                sha256, _size = self._run.root.digest(path)
            except CustodyError as error:
                if self._complete() or (evidence.text is None and not self._comes_later(path)):
                    yield _mismatch("evidence", error, where=path)
                continue  # its text stands in the journal, and its file comes a moment later
            is_sealed = layout.is_correspondence(path) or not self._under_way(path)
            if sha256 != evidence.sha256 and is_sealed:
                yield Mismatch("evidence", path, "its content is not what the journal says")

    def workspace(self) -> Iterator[Mismatch]:
        """Compare the workspace of an ended run with what its stages left."""
        expected = yield from self.last_tree()
        if self.ended() and expected is not None:
            for change in differences(self._run, expected):
                where = f"{layout.WORKSPACE}/{change.path}"
                yield Mismatch("workspace", where, f"{change.change} after the run ended")

    def last_tree(self) -> Generator[Mismatch, None, dict[str, Entry] | None]:
        """Find out what the workspace must be at the end; None when that cannot be told."""
        base = self._collector.opening().workspace
        self._needed[base.sha256] = "the first workspace"
        try:
            expected = read_tree(self._run, base)
        except CustodyError as error:
            yield _mismatch("workspace", error)
            return None
        for entry in expected.values():
            if entry.kind == "file":
                self._needed[entry.sha256] = f"{layout.WORKSPACE}/{entry.path}"
        for change in self.net_changes():
            if change.after is None:
                expected.pop(change.path, None)
            else:
                expected[change.path] = change.after
        self.final = tree_of(expected, listing(expected.values()), base.omitted)
        if self._complete():
            self._needed[self.final.sha256] = "the last workspace"
        return expected

    def views(self) -> Iterator[Mismatch]:
        """Compare every view with what the journal makes of it; those of a run at work lag."""
        self._add_closing_views()
        for path, expected in self._views.items():
            try:
                same = self._run.root.read(path) == expected
            except CustodyError as error:
                if self._complete():
                    yield _mismatch("view", error, where=path)
                continue
            if not same and self._complete():
                yield Mismatch("view", path, "it is not what the journal makes of it")

    def blobs(self) -> Iterator[Mismatch]:
        """Check that every blob is what its name says, and that none is missing."""
        named = {item.sha256 for item in self._evidence.values()} | self.history.sources
        for sha256 in self._run.blobs.names():
            self._blobs += 1
            if self._needed.pop(sha256, None) is None and sha256 not in named:
                self._unnamed.append(layout.blob(sha256))
            try:
                self._run.blobs.check(sha256)
            except CustodyError as error:
                yield _mismatch("blob", error)
        for sha256, named_by in self._needed.items():
            yield Mismatch("blob", layout.blob(sha256), f"{named_by} needs it")

    def decisions(self) -> Iterator[Mismatch]:
        """Tell whether the recorded answers lead to the recorded decisions."""
        if self._diverged is not None:
            yield self._diverged

    def unclaimed(self) -> Iterator[Mismatch]:
        """Find files that nothing accounts for; work that was lost in a crash has its own place."""
        claimed = {layout.EVENTS, *self._evidence, *self._views, *self.history.letters}
        for path in self._run.files():
            if path not in claimed and not layout.is_set_aside(path) and not self._under_way(path):
                yield Mismatch("unclaimed", path, "no line of the journal accounts for it")
        if self._complete():
            for path in (*self._run.temporaries(), *self._run.blobs.strangers()):
                yield Mismatch("unclaimed", path, "no line of the journal accounts for it")

    def _under_way(self, path: str) -> bool:
        return not self.ended() and self._work.holds(path)

    def _comes_later(self, path: str) -> bool:
        return not self.ended() and self._work.may_miss(path)

    @cached_property
    def _work(self) -> UnderWay:
        return UnderWay(self.history)

    def _note_evidence(self, fact: AnyFact) -> None:
        """Note what files must be; of a document that is written again the blob must stay."""
        for item in fact.evidence():
            before = self._evidence.get(item.path)
            if before is not None and before.is_document and before.text is None:
                self._needed[before.sha256] = item.path
            self._evidence[item.path] = item

    def ended(self) -> bool:
        """Whether the run has ended, by its journal."""
        return self._collector.state.status != "RUNNING"

    def _complete(self) -> bool:
        """Whether everything that an end writes must be there: its manifest is the last of it."""
        if self._taken_up or not self.ended():
            return False
        return self._known != self._collector.opening()

    def at_rest(self) -> bool:
        """Whether the end was told before this look, and nothing was written meanwhile."""
        told = self._known is not None and self._known.events and not self._taken_up
        return bool(told) and self._state == self._journal_state()

    def _journal_state(self) -> tuple[int, ...]:
        """Return what is different after anybody has written to the journal."""
        try:
            state = self._run.root.stat(layout.EVENTS)
        except CustodyError:
            return ()
        return state.st_ino, state.st_size, state.st_mtime_ns

    def _add_closing_views(self) -> None:
        """Note what the documents of the whole run must be."""
        if not self.ended():
            self._views[layout.MANIFEST] = encode_pretty(self._collector.opening())
            return
        reached = self.history.position
        self._views[layout.CHECKPOINT] = encode_pretty(self._collector.checkpoint(reached))
        for name, pieces in closing_files(self._run, self._collector, reached, self.final):
            self._views[name] = b"".join(pieces)

    def _changes_of(self, fact: AnyFact) -> tuple[Change, ...]:
        if not isinstance(fact, RequestAnswered):
            return ()
        try:
            changes = self.history.changes_of(fact)
        except CustodyError as error:
            self._unreadable.append(_mismatch("evidence", error))
            return ()
        for change in changes:
            if change.after is not None and change.after.kind == "file":
                self._needed[change.after.sha256] = f"{fact.ack.request_id}: {change.path}"
        return changes

    def _document(self, name: str, kind: type[_T]) -> _T | None:
        """Return a document, or None when it is not to be read: then `views` says so."""
        try:
            return self._run.read_document(name, kind)
        except CustodyError:
            return None


def _mismatch(code: str, error: CustodyError, *, where: str = "") -> Mismatch:
    return Mismatch(code, where or error.where, error.what)

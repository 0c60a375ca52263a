"""Checking a run directory, claim by claim, with nothing but the directory itself.

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
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from functools import cached_property
from typing import TypeVar

from custody.engine.replay import play
from custody.engine.result import RunResult
from custody.engine.run_pipeline import pipeline_of
from custody.engine.verification import Mismatch, Verification, check_head, unknown
from custody.errors import CustodyError, JournalBroken
from custody.model import layout
from custody.model.change import Change, Entry, Tree
from custody.model.documents import Checkpoint, Manifest
from custody.model.event import AnyFact, Heard, RequestAnswered
from custody.model.evidence import Evidence
from custody.model.record import Record, encode_pretty
from custody.model.request import AgentRequest, AnyRequest, WriteRequest
from custody.store.files import is_temporary
from custody.store.history import History
from custody.store.journal import verify_journal
from custody.store.rundir import RunDirectory
from custody.views.collect import Collector
from custody.views.writer import closing_files
from custody.workspace.contents import Contents
from custody.workspace.tree import listing, tree_of
from custody.workspace.workspace import differences, read_tree

_T = TypeVar("_T", bound=Record)


def verify(path: str, *, rebuild: bool = False, head: str = "") -> Verification:
    """Check every claim of the run directory at ``path``; changes nothing, unless to rebuild.

    With ``rebuild`` the documents that the journal can make again are written anew first. What
    the journal itself does not hold is never made up. With ``head``, the hash of a line that was
    kept elsewhere, a record that was rewritten as a whole is found too.
    """
    check_head(head)
    with RunDirectory.open(path, write=rebuild) as run:
        audit = _Audit(run)
        mismatches = list(audit.chain())
        if not mismatches:
            mismatches += audit.read()
            mismatches += audit.workspace()
            if rebuild:
                audit.rebuild()
            mismatches += audit.evidence()
            mismatches += audit.views()
            mismatches += audit.blobs()
            mismatches += audit.decisions()
            mismatches += audit.unclaimed()
            mismatches += audit.layers()
            mismatches += audit.kept_head(head)
        mismatches += audit.name()
        return audit.verification(tuple(mismatches))


def whole_end(run: RunDirectory) -> RunResult | None:
    """Return the result of a run that has everything its end writes; nothing is changed."""
    audit = _Audit(run)
    steps = (audit.chain, audit.read, audit.last_tree, audit.views, audit.evidence)
    if any(next(step(), None) is not None for step in steps) or any(run.temporaries()):
        return None
    return audit.result() if audit.ended() and run.blobs.has(audit.final.sha256) else None


class _Audit:
    """One look at one run directory; each method yields what does not hold."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run
        self._history = History(run)
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

    def verification(self, mismatches: tuple[Mismatch, ...]) -> Verification:
        """Return the result."""
        return Verification(
            run_id=self._run.run_id,
            status=self._collector.state.status,
            lines=self._lines,
            evidence=len(self._evidence),
            blobs=self._blobs,
            mismatches=mismatches,
            head=self._history.position.head if self._lines else "",
            after_head=self._after_head,
            unknown=self._unknown(),
        )

    def result(self) -> RunResult:
        """Return what the run came to."""
        return RunResult(
            run_id=self._run.run_id,
            path=self._run.path,
            summary=self._collector.summary(self._history.position.head),
            confinement=self._history.confinement,
        )

    def _unknown(self) -> tuple[str, ...]:
        """Name what is there beside the record; blobs of a run at work may be named any moment."""
        if not self._lines:
            return ()
        return unknown(self._run, self._unnamed if self.ended() else ())

    def name(self) -> Iterator[Mismatch]:
        """Tell whether the directory is called as the run is."""
        if self._run.name != self._run.run_id:
            what = f"the directory is called {self._run.name!r}, its run {self._run.run_id!r}"
            yield Mismatch(code="name", where=self._run.path, what=what)

    def kept_head(self, head: str) -> Iterator[Mismatch]:
        """Tell whether the journal holds the line that somebody knows the hash of."""
        if not head:
            return
        seq = self._history.seq_of(head)
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
        known = self._document(layout.MANIFEST, Manifest)
        if known is not None and known.events:
            faults = verify_journal(
                self._run.root,
                run_id=self._run.run_id,
                count=known.events,
                head=known.head,
                hear=self._history.add,
            )
            yield from (_mismatch(fault.code, fault) for fault in faults)
            return
        try:
            self._history = History.read(self._run)
        except JournalBroken as broken:
            yield _mismatch(broken.code, broken)
            return
        reached = self._document(layout.CHECKPOINT, Checkpoint)
        if reached is not None and not self._history.reaches(reached.head):
            yield Mismatch("head_mismatch", layout.EVENTS, f"it does not reach {layout.CHECKPOINT}")

    def read(self) -> Iterator[Mismatch]:
        """Take in every line that counts, note what it claims, and play the answers again."""
        self._lines = self._history.count
        lines = self._noted()
        self._diverged = self._play(lines)
        deque(lines, maxlen=0)  # what a replay that diverged has left is noted as well
        yield from self._unreadable
        self._views[layout.TRACE] = bytes(self._trace)
        try:
            source = self._run.blobs.get(self._history.pipeline_sha256)
            self._views[layout.PIPELINE] = source
        except CustodyError as error:
            yield _mismatch("blob", error)

    def _noted(self) -> Iterator[Heard]:
        """Yield every line that counts when it has been taken in."""
        for line, fact in self._history.lines():
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
            played = play(self._history, pipeline_of(self._history), lines)
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
                if self.ended() or evidence.text is None:
                    yield _mismatch("evidence", error, where=path)
                continue  # its text stands in the journal, and its file comes a moment later
            if sha256 != evidence.sha256 and not self._under_way(path):
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
        for change in self._collector.net_changes():
            if change.after is None:
                expected.pop(change.path, None)
            else:
                expected[change.path] = change.after
        self.final = tree_of(expected, listing(expected.values()), base.omitted)
        if self.ended():
            self._needed[self.final.sha256] = "the last workspace"
        return expected

    def views(self) -> Iterator[Mismatch]:
        """Compare every view with what the journal makes of it; those of a run at work lag."""
        self._add_closing_views()
        for path, expected in self._views.items():
            try:
                same = self._run.root.read(path) == expected
            except CustodyError as error:
                if self.ended():
                    yield _mismatch("view", error, where=path)
                continue
            if not same and self.ended():
                yield Mismatch("view", path, "it is not what the journal makes of it")

    def blobs(self) -> Iterator[Mismatch]:
        """Check that every blob is what its name says, and that none is missing."""
        named = {item.sha256 for item in self._evidence.values()} | self._history.sources
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
        claimed = {layout.EVENTS, *self._evidence, *self._views, *self._history.letters}
        for path in self._run.files():
            if path not in claimed and not layout.is_set_aside(path) and not self._under_way(path):
                yield Mismatch("unclaimed", path, "no line of the journal accounts for it")
        if self.ended():
            for path in (*self._run.temporaries(), *self._run.blobs.strangers()):
                yield Mismatch("unclaimed", path, "no line of the journal accounts for it")

    def layers(self) -> Iterator[Mismatch]:
        """Check what refused stages left; nothing is left of the others once a run has ended."""
        if not self._run.root.exists(layout.LAYERS):
            return
        from custody.workspace.overlay.stack import Stack

        stack = Stack(self._run, Contents(None))
        names = [*stack.names()]
        recorded = self._history.layers(names)
        for name in names:
            where = layout.layer_folder(name)
            layer = recorded.get(name)
            if layer is not None and stack.record(name) != layer:
                yield Mismatch(
                    "evidence", f"{where}/{layout.UPPER}", "it is not what the stage left"
                )
            if self.ended() and (layer is None or self._run.root.names(where) != [layout.UPPER]):
                yield Mismatch("unclaimed", where, "no line of the journal accounts for it")

    def _under_way(self, path: str) -> bool:
        """Whether a file belongs to what a run that has not ended was doing last."""
        if self.ended():
            return False
        if path == layout.CHECKPOINT or is_temporary(path.rpartition("/")[2]):
            return True
        if layout.is_correspondence(path):
            return True
        return any(
            path.startswith(f"{layout.request_folder(asked.id)}/") or path == _document_of(asked)
            for asked in self._in_doubt
        )

    @cached_property
    def _in_doubt(self) -> list[AnyRequest]:
        """What was asked for and has no answer yet."""
        return self._history.open_requests()

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

    def _add_closing_views(self) -> None:
        """Note what the documents of the whole run must be."""
        if not self.ended():
            self._views[layout.MANIFEST] = encode_pretty(self._collector.opening())
            return
        reached = self._history.position
        self._views[layout.CHECKPOINT] = encode_pretty(self._collector.checkpoint(reached))
        self._views |= closing_files(self._collector, reached, self.final)

    def _changes_of(self, fact: AnyFact) -> tuple[Change, ...]:
        if not isinstance(fact, RequestAnswered):
            return ()
        try:
            changes = self._history.changes_of(fact)
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


def _document_of(request: AnyRequest) -> str:
    """Return the document that a request is to write; empty when it writes none."""
    if isinstance(request, WriteRequest):
        return request.document.path
    return request.output_path if isinstance(request, AgentRequest) else ""


def _mismatch(code: str, error: CustodyError, *, where: str = "") -> Mismatch:
    return Mismatch(code, where or error.where, error.what)

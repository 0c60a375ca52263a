"""Checking a run directory, claim by claim, with nothing but the directory itself.

chain       every line of the journal follows from the one before, up to the known head
evidence    every file that a line names is there, with the bytes the line says
workspace   the workspace of an ended run is what its stages left
views       every document made from the journal can be made again, the same bytes
blobs       every blob is what its name says, and every one that is needed is there
decisions   the recorded answers lead to the recorded decisions
unclaimed   there is no file that nothing accounts for
layers      what refused stages left is as it was; of the others nothing is left
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TypeVar

from custody.engine.records import Records
from custody.engine.replay import play
from custody.errors import CustodyError, JournalBroken
from custody.model import layout
from custody.model.change import Change, Tree
from custody.model.documents import Checkpoint, Manifest
from custody.model.event import AnyFact, RequestAnswered, StageStarted
from custody.model.evidence import Evidence
from custody.model.fact import RunStatus
from custody.model.process_event import RunWaiting
from custody.model.record import Record, encode, encode_pretty
from custody.model.request import AgentRequest, AnyRequest, WriteRequest
from custody.store.files import is_temporary
from custody.store.journal import digest, read_lines, verify_journal
from custody.store.rundir import RunDirectory
from custody.views.collect import Collector
from custody.views.writer import closing_files
from custody.workspace.contents import Contents
from custody.workspace.tree import listing, tree_of
from custody.workspace.workspace import differences, read_tree

_T = TypeVar("_T", bound=Record)


class Mismatch(Record, frozen=True):
    """One claim that does not hold."""

    code: str
    where: str
    what: str


class Verification(Record, frozen=True):
    """What was checked, and what did not hold."""

    run_id: str
    status: RunStatus
    lines: int
    evidence: int
    blobs: int
    mismatches: tuple[Mismatch, ...]


def verify(path: str, *, rebuild: bool = False) -> Verification:
    """Check every claim of the run directory at ``path``; changes nothing, unless to rebuild.

    With ``rebuild`` the documents that the journal can make again are written anew first. What
    the journal itself does not hold is never made up.
    """
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
        return audit.verification(tuple(mismatches))


class _Audit:
    """One look at one run directory; each method yields what does not hold."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run
        self._surveyed: Records | None = None
        self._collector = Collector(run.run_id)
        self._views: dict[str, bytes] = {}
        """What each view must be, by path."""
        self._evidence: dict[str, Evidence] = {}
        """What each named file must be; where a document was written twice, the last."""
        self._needed: dict[str, str] = {}
        """Blobs that something names, with what names them."""
        self._lines = 0
        self._offset = 0
        self._head = ""
        self._blobs = 0
        self._final = Tree(sha256="", entries=0, bytes=0)
        """What the workspace is at the end."""
        self._asked: set[str] = set()
        """What a person was asked, and where the answer belongs, by path."""
        self._in_doubt: dict[str, AnyRequest] = {}
        """What was asked for and has no answer yet."""

    def verification(self, mismatches: tuple[Mismatch, ...]) -> Verification:
        """Return the result."""
        return Verification(
            run_id=self._run.run_id,
            status=self._collector.state.status,
            lines=self._lines,
            evidence=len(self._evidence),
            blobs=self._blobs,
            mismatches=mismatches,
        )

    def chain(self) -> Iterator[Mismatch]:
        """Prove every line, and that none is missing at the end.

        An ended run's manifest says where its journal ends; one that goes on must at least
        reach its checkpoint.
        """
        known = self._document(layout.MANIFEST, Manifest)
        if known is not None and known.events:
            faults = verify_journal(
                self._run.root, run_id=self._run.run_id, count=known.events, head=known.head
            )
            yield from (_mismatch(fault.code, fault) for fault in faults)
            return
        reached = self._document(layout.CHECKPOINT, Checkpoint)
        missing = "" if reached is None else reached.head
        try:
            for line in read_lines(self._run.root, run_id=self._run.run_id, torn_ok=True):
                if missing and digest(line) == missing:
                    missing = ""
        except JournalBroken as broken:
            yield _mismatch(broken.code, broken)
            return
        if missing:
            yield Mismatch("head_mismatch", layout.EVENTS, f"it does not reach {layout.CHECKPOINT}")

    def read(self) -> Iterator[Mismatch]:
        """Take in every line that counts, and note what it claims."""
        trace: list[bytes] = []
        for line in read_lines(self._run.root, run_id=self._run.run_id, torn_ok=True):
            raw = encode(line)
            self._lines += 1
            self._offset += len(raw) + 1
            self._head = hashlib.sha256(raw).hexdigest()
            if line.event == RunWaiting.__name__ and isinstance(fact := line.fact(), RunWaiting):
                self._asked |= {fact.path, fact.answer}
        for line in self._records().lines():
            fact = line.fact()
            self._note_request(fact)
            self._note_evidence(fact)
            try:
                changes = self._changes_of(fact)
            except CustodyError as error:
                yield _mismatch("evidence", error)
                changes = ()
            made = self._collector.add(line, fact, changes)
            self._needed[self._collector.state.pipeline_sha256] = layout.PIPELINE
            for name, sha256 in self._collector.state.parts.items():
                self._needed[sha256] = name
            trace.append(made.trace)
            if made.status_path:
                self._views[made.status_path] = made.status
        self._views[layout.TRACE] = b"".join(trace)
        try:
            self._views[layout.PIPELINE] = self._run.blobs.get(self._records().pipeline_sha256)
        except CustodyError as error:
            yield _mismatch("blob", error)

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
                yield _mismatch("evidence", error, where=path)
                continue
            if sha256 != evidence.sha256 and not self._under_way(path):
                yield Mismatch("evidence", path, "its content is not what the journal says")

    def workspace(self) -> Iterator[Mismatch]:
        """Compare the workspace of an ended run with what its stages left."""
        base = self._collector.opening().workspace
        self._needed[base.sha256] = "the first workspace"
        try:
            expected = read_tree(self._run, base)
        except CustodyError as error:
            yield _mismatch("workspace", error)
            return
        for entry in expected.values():
            if entry.kind == "file":
                self._needed[entry.sha256] = f"{layout.WORKSPACE}/{entry.path}"
        for change in self._collector.net_changes():
            if change.after is None:
                expected.pop(change.path, None)
            else:
                expected[change.path] = change.after
        self._final = tree_of(expected, listing(expected.values()), base.omitted)
        if self._ended():
            self._needed[self._final.sha256] = "the last workspace"
            for change in differences(self._run, expected):
                where = f"{layout.WORKSPACE}/{change.path}"
                yield Mismatch("workspace", where, f"{change.change} after the run ended")

    def views(self) -> Iterator[Mismatch]:
        """Compare every view with what the journal makes of it; those of a run at work lag."""
        self._add_closing_views()
        for path, expected in self._views.items():
            try:
                same = self._run.root.read(path) == expected
            except CustodyError as error:
                if self._ended():
                    yield _mismatch("view", error, where=path)
                continue
            if not same and self._ended():
                yield Mismatch("view", path, "it is not what the journal makes of it")

    def blobs(self) -> Iterator[Mismatch]:
        """Check that every blob is what its name says, and that none is missing."""
        for sha256 in self._run.blobs.names():
            self._blobs += 1
            self._needed.pop(sha256, None)
            try:
                self._run.blobs.check(sha256)
            except CustodyError as error:
                yield _mismatch("blob", error)
        for sha256, named_by in self._needed.items():
            yield Mismatch("blob", layout.blob(sha256), f"{named_by} needs it")

    def decisions(self) -> Iterator[Mismatch]:
        """Play the recorded answers again."""
        try:
            records = self._records()
            played = play(records, records.pipeline(), records.lines())
        except CustodyError as error:
            yield _mismatch("decisions", error)
            return
        if played.divergence:
            yield Mismatch("decisions", layout.EVENTS, played.divergence)

    def unclaimed(self) -> Iterator[Mismatch]:
        """Find files that nothing accounts for; work that was lost in a crash has its own place."""
        claimed = {layout.EVENTS, *self._evidence, *self._views, *self._asked}
        for path in self._run.files():
            if path not in claimed and not layout.is_set_aside(path) and not self._under_way(path):
                yield Mismatch("unclaimed", path, "no line of the journal accounts for it")

    def layers(self) -> Iterator[Mismatch]:
        """Check what refused stages left; nothing is left of the others once a run has ended."""
        if not self._run.root.exists(layout.LAYERS):
            return
        from custody.workspace.overlay.stack import Stack

        stack = Stack(self._run, Contents(None))
        recorded = self._records().layers()
        for name in stack.names():
            where = layout.layer_folder(name)
            layer = recorded.get(name)
            if layer is not None and stack.record(name) != layer:
                yield Mismatch(
                    "evidence", f"{where}/{layout.UPPER}", "it is not what the stage left"
                )
            if self._ended() and (layer is None or self._run.root.names(where) != [layout.UPPER]):
                yield Mismatch("unclaimed", where, "no line of the journal accounts for it")

    def _under_way(self, path: str) -> bool:
        """Whether a file belongs to what a run that has not ended was doing last."""
        if self._ended():
            return False
        if path == layout.CHECKPOINT or is_temporary(path.rpartition("/")[2]):
            return True
        if layout.is_correspondence(path):
            return True
        return any(
            path.startswith(f"{layout.request_folder(asked.id)}/") or path == _document_of(asked)
            for asked in self._in_doubt.values()
        )

    def _note_request(self, fact: AnyFact) -> None:
        if isinstance(fact, StageStarted) and fact.request is not None:
            self._in_doubt[fact.request.id] = fact.request
        elif isinstance(fact, RequestAnswered):
            self._in_doubt.pop(fact.ack.request_id, None)

    def _note_evidence(self, fact: AnyFact) -> None:
        """Note what files must be; of a document that is written again the blob must stay."""
        for item in fact.evidence():
            before = self._evidence.get(item.path)
            if before is not None and before.is_document and before.text is None:
                self._needed[before.sha256] = item.path
            self._evidence[item.path] = item

    def _records(self) -> Records:
        """Return the journal, surveyed once the chain is known to hold."""
        if self._surveyed is None:
            self._surveyed = Records(self._run)
        return self._surveyed

    def _ended(self) -> bool:
        return self._collector.state.status != "RUNNING"

    def _add_closing_views(self) -> None:
        """Note what the documents of the whole run must be."""
        if not self._ended():
            self._views[layout.MANIFEST] = encode_pretty(self._collector.opening())
            return
        reached = self._collector.checkpoint(
            events=self._lines, offset=self._offset, head=self._head
        )
        self._views[layout.CHECKPOINT] = encode_pretty(reached)
        self._views |= closing_files(
            self._collector, self._final, events=self._lines, head=self._head
        )

    def _changes_of(self, fact: AnyFact) -> tuple[Change, ...]:
        if not isinstance(fact, RequestAnswered):
            return ()
        changes = self._records().changes_of(fact)
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

"""What is recorded of an attempt, made up: for asking gates about it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from custody.checks.gates import Case
from custody.model.change import Change, Entry, WorkspaceDiff
from custody.model.evidence import Evidence
from custody.model.journal_version import CURRENT, JournalVersion
from custody.model.request import Ack, AckStatus, AnyRequest
from custody.model.verdict import GateResult

FOLDER = "nodes/a/1.1"


def case(
    files: Mapping[str, str] | None = None,
    *,
    status: AckStatus = "ok",
    exit_code: int | None = None,
    request: AnyRequest | None = None,
    diff: WorkspaceDiff | None = None,
    blobs: tuple[bytes, ...] = (),
    version: JournalVersion = CURRENT,
    documents: Mapping[str, str | bytes] | None = None,
    executed: Mapping[str, GateResult] | None = None,
) -> Case:
    """Return a case with these files among its evidence, and these documents of the run."""
    texts = {path: _bytes(text) for path, text in (documents or {}).items()}
    held = {f"{FOLDER}/{name}": text for name, text in (files or {}).items()}
    kept = {hashlib.sha256(data).hexdigest(): data for data in blobs}
    ack = Ack(
        request_id="a/1.1",
        status=status,
        exit_code=exit_code,
        evidence=tuple(Evidence.of_text(path, text) for path, text in held.items()),
    )
    return Case(
        request=request,
        ack=ack,
        diff=diff or WorkspaceDiff(changes=()),
        read=lambda evidence: held[evidence.path].encode(),
        content=kept.__getitem__,
        version=version,
        documents={path: _evidence(path, data) for path, data in texts.items()},
        executed=executed or {},
        written=lambda evidence: texts[evidence.path],
    )


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _evidence(path: str, data: bytes) -> Evidence:
    return Evidence(path=path, sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))


def added(path: str, content: bytes = b"x") -> Change:
    """Return the change that adds a file."""
    sha256 = hashlib.sha256(content).hexdigest()
    entry = Entry(path=path, kind="file", mode=0o644, sha256=sha256, bytes=len(content))
    return Change(path=path, change="added", after=entry)

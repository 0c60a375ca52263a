"""A document's fenced blocks on their way to become files, each judged on its own.

A block that does not have the one accepted form is skipped. One that has it is rejected, with the
code of the first rule that it breaks, or written. Rules are those of `RelPath`, of `Claims`, of
`REJECTIONS` here, of the `Destination`, and what stands there: the codes of `admit_write` and of
`Root`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Final, Protocol

from custody.checks.guards.claims import Claims
from custody.checks.guards.paths import admit_write
from custody.checks.guards.secrets import Redactor
from custody.errors import PathRefused, StorageFailed
from custody.ingest.fence_reasons import REASONS
from custody.ingest.fences import Fence, parse_fences
from custody.model import layout
from custody.model.ingest import (
    Artifact,
    ArtifactStatus,
    BlockNote,
    IngestLimits,
    summary_of,
)
from custody.model.ingest_event import (
    AnyIngestFact,
    IngestRejected,
    IngestSkipped,
    IngestWritten,
)
from custody.model.relpath import RelPath, write_policy
from custody.store.root import Root

NOTES = 100
"""Most blocks that one event tells of."""
SHOWN = 1024
"""Most characters of a text of the document that are told."""

REJECTIONS: Final = {
    "duplicate": "another block of the document has this path",
    "case_collision": "another block's path differs by upper and lower case only",
    "prefix_conflict": "it would have to be a file and a folder",
    "too_many": "one document may not write so many files",
    "too_large": "it has more bytes than one file, or all of them together, may have",
    "binary": "a NUL stands in it",
    "secret": "a secret stands in it, or the mark of one that was taken out",
    "not_allowed": "`allowed_write_paths` of the node does not cover it",
    "holdout": "it was hidden from the stage",
    "storage": "the disk refused",
}
"""Why a block of the accepted form is not written although its path is one."""

_KINDS: dict[str, type[IngestWritten | IngestSkipped | IngestRejected]] = {
    "written": IngestWritten,
    "skipped": IngestSkipped,
    "rejected": IngestRejected,
}
"""Which event tells of blocks with a status."""
_REDACTED = re.compile(rb"\[redacted:[A-Za-z0-9_.-]+\]")


class Destination(Protocol):
    """Where the files go."""

    @property
    def root(self) -> Root:
        """The folder that they lie below."""
        ...

    def refusal(self, path: RelPath, /) -> str:
        """Return the code of `REJECTIONS` for a path that may not be written here; or empty."""
        ...

    def put(self, path: RelPath, content: bytes) -> str:
        """Write a file; return the sha256 of the blob that keeps what it replaced, or empty.

        Raises `PathRefused` and `StorageFailed`.
        """
        ...


class Intake:
    """One document on its way."""

    def __init__(
        self, document: bytes, destination: Destination, redactor: Redactor, limits: IngestLimits
    ) -> None:
        self.artifacts: list[Artifact] = []
        """What became of each block so far."""
        self._document = document
        self._destination = destination
        self._redactor = redactor
        self._limits = limits
        self._claims = Claims()
        self._files = 0
        self._bytes = 0
        self._notes: dict[str, list[BlockNote]] = {}

    def take_in(self) -> None:
        """Go through the document, block by block."""
        for fence in parse_fences(self._document):
            if len(self.artifacts) >= self._limits.blocks:
                detail = f"the document is not read beyond {self._limits.blocks} blocks"
                self._note(fence, "rejected", "too_many", detail)
                return
            if fence.reason:
                self._note(fence, "skipped", fence.reason, REASONS[fence.reason])
            else:
                self._take(fence)

    def facts(self, node: str, doc_path: str) -> Iterator[AnyIngestFact]:
        """Yield what the journal is to tell of it."""
        summary = summary_of(tuple(self.artifacts))
        for status, kind in _KINDS.items():
            count = getattr(summary, status)
            if count or (status == "skipped" and not summary.total_blocks):
                notes = tuple(self._notes.get(status, ()))
                yield kind(node=node, doc_path=doc_path, count=count, blocks=notes)

    def _take(self, fence: Fence) -> None:
        """Write one block that has the accepted form, or say why not."""
        try:
            path = RelPath.parse(fence.path)
            write_policy(path)
            code = self._claims.claim(path) or self._over_limit(fence) or self._unfit(fence)
            if code := code or self._destination.refusal(path):
                self._note(fence, "rejected", code, REJECTIONS[code])
                return
            self._write(fence, admit_write(fence.path, self._destination.root))
        except PathRefused as refused:
            self._note(fence, "rejected", refused.code, refused.what)
        except StorageFailed as failed:
            self._note(fence, "rejected", "storage", f"{REJECTIONS['storage']}: {failed.what}")

    def _over_limit(self, fence: Fence) -> str:
        size = fence.end - fence.begin
        if self._files >= self._limits.files:
            return "too_many"
        room = min(self._limits.file_bytes, self._limits.total_bytes - self._bytes)
        return "too_large" if size > room else ""

    def _unfit(self, fence: Fence) -> str:
        content = self._document[fence.begin : fence.end]
        if b"\0" in content:
            return "binary"
        hidden = _REDACTED.search(content) or _REDACTED.search(fence.path.encode())
        if hidden or self._redactor.redact_bytes(content)[1] or self._shown(fence.path)[1]:
            return "secret"
        return ""

    def _write(self, fence: Fence, path: RelPath) -> None:
        content = self._document[fence.begin : fence.end]
        replaced = self._destination.put(path, content)
        self._files += 1
        self._bytes += len(content)
        sha256 = hashlib.sha256(content).hexdigest()
        self._note(fence, "written", "", replaced=replaced, sha256=sha256)

    def _note(
        self,
        fence: Fence,
        status: ArtifactStatus,
        reason: str,
        detail: str = "",
        *,
        replaced: str = "",
        sha256: str = "",
    ) -> None:
        """Put down what became of a block."""
        file = self._shown(fence.path)[0]
        notes = self._notes.setdefault(status, [])
        index = len(self.artifacts)
        if len(notes) < NOTES:
            notes.append(
                BlockNote(
                    index=index,
                    line=fence.line,
                    file=file,
                    reason=reason,
                    detail=self._shown(detail)[0],
                    replaced=replaced,
                )
            )
        self.artifacts.append(
            Artifact(
                index=index,
                lang=self._shown(fence.lang)[0],
                declared_file=file,
                workspace_path=f"{layout.WORKSPACE}/{fence.path}" if status == "written" else "",
                bytes=fence.end - fence.begin,
                sha256=sha256,
                status=status,
                reason=reason,
            )
        )

    def _shown(self, text: str) -> tuple[str, int]:
        """Return a text of the document as it may be told, and how many secrets it held."""
        told, count = self._redactor.redact(text) if text else (text, 0)
        told = told.encode("utf-8", "backslashreplace").decode()
        return told if len(told) <= SHOWN else f"{told[:SHOWN]}…", count

"""The fenced blocks of a document become files, each judged on its own.

A block that does not have the one accepted form is skipped. One that has it is rejected, with the
code of the first rule that it breaks, or written. Rules are those of `RelPath`, of `Claims`, of
`REJECTIONS` here, of the `Destination`, and what stands there: the codes of `admit_write` and of
`Root`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from custody.checks.guards.claims import Claims
from custody.checks.guards.paths import admit_write
from custody.checks.guards.secrets import Redactor
from custody.errors import PathRefused, StorageFailed
from custody.ingest.fence_reasons import REASONS
from custody.ingest.fences import Fence, parse_fences
from custody.model.ingest import ArtifactStatus, IngestLimits
from custody.model.relpath import RelPath, write_policy
from custody.store.root import Root

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


class BlockResult(NamedTuple):
    """What became of one block."""

    fence: Fence
    status: ArtifactStatus
    reason: str = ""
    """The code of the rule that kept it from being written; empty when it was."""
    detail: str = ""
    """One sentence for a person; it may hold a secret of the document."""
    sha256: str = ""
    """Of what was written."""
    replaced: str = ""
    """sha256 of the blob that keeps what stood there before; empty when nothing did."""


def write_blocks(
    document: bytes, destination: Destination, redactor: Redactor, limits: IngestLimits
) -> Iterator[BlockResult]:
    """Write the blocks of a document that may be written, one by one; yield what became of each."""
    return _BlockWriter(document, destination, redactor, limits).write()


class _BlockWriter:
    """Writes blocks, and remembers what those before have claimed and used up."""

    def __init__(
        self, document: bytes, destination: Destination, redactor: Redactor, limits: IngestLimits
    ) -> None:
        self._document = document
        self._destination = destination
        self._redactor = redactor
        self._limits = limits
        self._claims = Claims()
        self._files = 0
        self._bytes = 0

    def write(self) -> Iterator[BlockResult]:
        for index, fence in enumerate(parse_fences(self._document)):
            if index >= self._limits.blocks:
                detail = f"the document is not read beyond {self._limits.blocks} blocks"
                yield BlockResult(fence, "rejected", "too_many", detail)
                return
            if fence.reason:
                yield BlockResult(fence, "skipped", fence.reason, REASONS[fence.reason])
            else:
                yield self._write_one(fence)

    def _write_one(self, fence: Fence) -> BlockResult:
        """Write a block that has the accepted form, or say why not."""
        try:
            path = RelPath.parse(fence.path)
            write_policy(path)
            if code := self._broken_rule(fence, path):
                return BlockResult(fence, "rejected", code, REJECTIONS[code])
            return self._put(fence, admit_write(fence.path, self._destination.root))
        except PathRefused as refused:
            return BlockResult(fence, "rejected", refused.code, refused.what)
        except StorageFailed as failed:
            detail = f"{REJECTIONS['storage']}: {failed.what}"
            return BlockResult(fence, "rejected", "storage", detail)

    def _broken_rule(self, fence: Fence, path: RelPath) -> str:
        return (
            self._claims.claim(path)
            or self._over_limit(fence)
            or self._unfit(fence)
            or self._destination.refusal(path)
        )

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
        if hidden or self._redactor.redact_bytes(content)[1]:
            return "secret"
        return "secret" if self._redactor.redact(fence.path)[1] else ""

    def _put(self, fence: Fence, path: RelPath) -> BlockResult:
        content = self._document[fence.begin : fence.end]
        replaced = self._destination.put(path, content)
        self._files += 1
        self._bytes += len(content)
        sha256 = hashlib.sha256(content).hexdigest()
        return BlockResult(fence, "written", sha256=sha256, replaced=replaced)

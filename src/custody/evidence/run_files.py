"""What a run's own evidence points at: files of its directory, wherever that lies by now.

A file of a run is cited as a document whose root is the run directory, so a directory that was
copied elsewhere still resolves. What a later stage has replaced is found among the blobs, and a
short document in the journal, which holds its text.
"""

from __future__ import annotations

import hashlib
from functools import cached_property

from custody.errors import BlobDamaged, CustodyError, PathRefused, ResolveFailed, StorageFailed
from custody.evidence import Content, Resolver
from custody.evidence.failure import GONE, REFUSED, TOO_LARGE, UNREACHABLE
from custody.evidence.uri import DocUri, EvidenceUri
from custody.store.history import History
from custody.store.root import READ_LIMIT
from custody.store.rundir import RunDirectory

_CODES = {"missing": GONE, "not_directory": GONE, "too_large": TOO_LARGE}


def source_id(run_id: str, path: str) -> str:
    """Return what the source of a run's file is called."""
    return f"{run_id}:{path}"


class RunFiles:
    """Resolves what a run cites of itself; a `Resolver`."""

    def __init__(self, run: RunDirectory, others: Resolver | None = None) -> None:
        """``others`` has what is no file of the run; without it nothing else is had."""
        self._run = run
        self._others = others

    def resolve(self, uri: EvidenceUri) -> Content:
        """Return the content, that of the blob where the file holds another by now."""
        if not isinstance(uri, DocUri):
            if self._others is not None:
                return self._others.resolve(uri)
            what = "it points at no file of the run"
            raise ResolveFailed(REFUSED, what, where=uri.text, hint="memory://docs/…")
        kept = self._kept(uri.sha256)
        if kept is not None:
            return Content(data=kept, sha256=uri.sha256)
        try:
            there = self._there(uri)
        except ResolveFailed:
            if (text := self._replaced.get((uri.path, uri.sha256))) is None:
                raise
            return Content.of(text.encode())
        if there.sha256 == uri.sha256:
            return there
        text = self._replaced.get((uri.path, uri.sha256))
        return there if text is None else Content.of(text.encode())

    def _kept(self, sha256: str) -> bytes | None:
        """Return the blob of that name; None when it is missing, or is not what its name says."""
        try:
            return self._run.blobs.get(sha256)
        except BlobDamaged:
            return None

    @cached_property
    def _replaced(self) -> dict[tuple[str, str], str]:
        """Short documents that a later stage has written again, by path and hash."""
        texts: dict[tuple[str, str], str] = {}
        last: dict[str, str] = {}
        try:
            for _, fact in History.read(self._run).lines():
                for item in fact.evidence():
                    if item.is_document and item.text is not None:
                        texts[item.path, item.sha256] = item.text
                    last[item.path] = item.sha256
        except CustodyError:
            return {}  # a journal that does not hold tells nothing: `custody verify` says why
        return {key: text for key, text in texts.items() if last[key[0]] != key[1]}

    def _there(self, uri: DocUri) -> Content:
        try:
            data = self._run.root.read(uri.path, limit=READ_LIMIT)
        except PathRefused as refused:
            code = _CODES.get(refused.code, UNREACHABLE)
            raise ResolveFailed(code, refused.what, where=uri.text) from refused
        except StorageFailed as failed:
            raise ResolveFailed(UNREACHABLE, failed.what, where=uri.text) from failed
        return Content(data=data, sha256=hashlib.sha256(data).hexdigest())

"""Brings an index up to its logbook and its documents: what is new goes in, what is gone goes out.

The logbook's pointers are read on from where the last update stopped, and how far that is stands
in the index itself, so that both land together. Whatever could not be had is kept with its reason,
told each time, and tried again each time. A document that changed goes out in the transaction in
which its new version goes in.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from custody.errors import ResolveFailed, UriRefused
from custody.evidence import Resolver
from custody.evidence.uri import DocUri, build_docs_evidence_uri, parse
from custody.logbook import Transaction
from custody.logbook.book import Logbook
from custody.logbook.records import Cursor, Listed
from custody.model.record import Record
from custody.resolvers.files import read_below
from custody.resolvers.git import last_commit, last_commits
from custody.seek import settings
from custody.seek.documents import documents
from custody.seek.fit import settle
from custody.seek.gather import Unresolved, cut_document, cut_pointer
from custody.seek.index import Index, Key
from custody.seek.records import Cut

BATCH = 100
"""Sources of one transaction."""
FEW = 20
"""Documents for which git is asked one by one: for more its history is read once."""

_T = TypeVar("_T")


class Updated(Record, frozen=True):
    """What an update did."""

    added: int
    removed: int
    kept: int
    """Sources that were there and still are."""
    unresolved: tuple[Unresolved, ...]
    """Sources that are not in the index, each with the reason."""
    vectors: int
    """Sources that have got a vector."""
    notes: tuple[str, ...]
    """What the reader must know."""


class Docs(NamedTuple):
    """Which documents are indexed."""

    root: str
    patterns: tuple[str, ...]
    environment: Mapping[str, str]


class IndexUpdate:
    """One update of an index; ``told`` hears how many sources were looked at."""

    def __init__(
        self, index: Index, book: Logbook, resolver: Resolver, told: Callable[[int], None]
    ) -> None:
        self._index = index
        self._book = book
        self._resolver = resolver
        self._told = told
        self._seen = self._added = self._removed = 0

    def run(self, docs: Docs | None) -> Updated:
        """Bring the index up; without ``docs`` those that are there stay as they are."""
        index = self._index
        before = len(index.keys())
        self._try_again()
        self._read_on()
        if docs is not None:
            self._take_documents(docs)
        notes, vectors = [], 0
        if index.model.fitted and index.model.vectors is not None:
            settled = settle(index.database, index.model.vectors)
            vectors = settled.vectors
            notes.append(settled.note)
        notes.append(index.model.missing)
        return Updated(
            added=self._added,
            removed=self._removed,
            kept=before - self._removed,
            unresolved=tuple(unresolved(index)),
            vectors=vectors,
            notes=tuple(filter(None, notes)),
        )

    def _try_again(self) -> None:
        """Take the pointers that could not be had before."""
        failed = {one.artifact_uri for one in unresolved(self._index) if not one.root}
        if not failed:
            return
        listed = (one for one in self._book.pointers() if one.evidence_uri in failed)
        for page in _pages(listed):
            self._put(page, then=None)

    def _read_on(self) -> None:
        """Take the pointers that are new since the last time."""
        with self._index.database.reading() as transaction:
            cursor = settings.get(transaction, settings.CURSOR, Cursor)
        for page in _pages(self._book.pointers(cursor)):
            self._put(page, then=page[-1].cursor)

    def _put(self, page: Sequence[Listed], then: Cursor | None) -> None:
        cuts, failed = _sorted(cut_pointer(listed, self._resolver) for listed in page)

        def work(transaction: Transaction) -> None:
            _forget(transaction, [("", listed.evidence_uri) for listed in page])
            _note(transaction, failed)
            if then is not None:
                settings.put(transaction, settings.CURSOR, then)

        self._added += self._index.put(cuts, then=work)
        self._count(len(page))

    def _take_documents(self, docs: Docs) -> None:
        known = self._index.keys(root=docs.root)
        by_path: dict[str, list[Key]] = {}
        for key in sorted(known):
            by_path.setdefault(_path(key[1]), []).append(key)
        paths = documents(docs.root, docs.patterns)
        commits = _Commits(docs, many=len(paths) - len(known) > FEW)
        self._index.put([], then=lambda it: _begin(it, docs))
        for page in _pages(iter(paths)):
            self._put_documents(page, docs, known, by_path, commits)
        gone = [key for path in by_path.keys() - set(paths) for key in by_path[path]]
        for keys in _pages(iter(sorted(gone))):
            self._index.put([], gone=keys)
            self._removed += len(keys)

    def _put_documents(
        self,
        page: Sequence[str],
        docs: Docs,
        known: set[Key],
        by_path: Mapping[str, list[Key]],
        commits: _Commits,
    ) -> None:
        found, gone = [], []
        for path in page:
            new = _document(docs, path, known, commits)
            uri = new if isinstance(new, str) else new.artifact_uri
            gone += [key for key in by_path.get(path, ()) if key[1] != uri]
            if not isinstance(new, str):
                found.append(new)
        cuts, failed = _sorted(found)
        self._added += self._index.put(cuts, gone=gone, then=lambda it: _note(it, failed))
        self._removed += len(gone)
        self._count(len(page))

    def _count(self, number: int) -> None:
        self._seen += number
        self._told(self._seen)


class _Commits:
    """The commits that last changed documents; none where git cannot tell, or not in time."""

    def __init__(self, docs: Docs, *, many: bool) -> None:
        self._docs = docs
        self._many = many
        self._all: dict[str, str] | None = None

    def of(self, path: str) -> str:
        """Return the commit of a document."""
        if not self._many:
            return last_commit(self._docs.root, path, self._docs.environment)
        if self._all is None:
            try:
                self._all = last_commits(self._docs.root, self._docs.environment)
            except ResolveFailed:
                self._all = {}  # the field is optional, and no document waits for it
        return self._all.get(path, "")


def unresolved(index: Index) -> list[Unresolved]:
    """Return what an index lacks, and why."""
    with index.database.reading() as transaction:
        rows = transaction.run(
            """SELECT root, artifact_uri, code, reason FROM seek.unresolved
            ORDER BY root, artifact_uri"""
        )
    return [Unresolved._make(row) for row in rows]


def _document(docs: Docs, path: str, known: set[Key], commits: _Commits) -> Cut | Unresolved | str:
    """Return a document in pieces; its uri alone where it is there as it was."""
    try:
        where = f"{docs.root}/{path}"
        content = read_below(docs.root, path, where=where)
        uri = build_docs_evidence_uri(path, content.sha256)
        if (docs.root, uri) in known:
            return uri
        return cut_document(docs.root, path, content, commits.of(path))
    except (ResolveFailed, UriRefused) as failed:
        # Bytes that are no text stand in no table: they are told as escapes.
        named = os.fsencode(path).decode(errors="backslashreplace")
        return Unresolved(docs.root, named, failed.code, failed.what)


def _begin(transaction: Transaction, docs: Docs) -> None:
    """Keep which documents are wanted, and look at those anew that could not be had."""
    transaction.run("DELETE FROM seek.unresolved WHERE root = ?", docs.root)
    patterns = settings.get(transaction, settings.PATTERNS, dict[str, tuple[str, ...]]) or {}
    settings.put(transaction, settings.PATTERNS, {**patterns, docs.root: docs.patterns})


def _note(transaction: Transaction, failed: Sequence[Unresolved]) -> None:
    by_key = {(one.root, one.artifact_uri): one for one in failed}
    _forget(transaction, [*by_key])
    rows = [*by_key.values()]
    transaction.many("INSERT INTO seek.unresolved VALUES (?, ?, ?, ?)", rows)


def _forget(transaction: Transaction, keys: Sequence[Key]) -> None:
    transaction.many("DELETE FROM seek.unresolved WHERE root = ? AND artifact_uri = ?", keys)


def _sorted(found: Iterable[Cut | Unresolved]) -> tuple[list[Cut], list[Unresolved]]:
    cuts, failed = [], []
    for one in found:
        if isinstance(one, Cut):
            cuts.append(one)
        else:
            failed.append(one)
    return cuts, failed


def _path(uri: str) -> str:
    """Return where a document of the index lies below its root."""
    found = parse(uri)
    return found.path if isinstance(found, DocUri) else uri


def _pages(items: Iterable[_T]) -> Iterator[list[_T]]:
    page: list[_T] = []
    for item in items:
        page.append(item)
        if len(page) == BATCH:
            yield page
            page = []
    if page:
        yield page

"""Brings the logbook up to a repository's history: what is new is added, what is there stays."""

from __future__ import annotations

import os
from collections.abc import Iterator

from custody.logbook import repos
from custody.logbook.artifacts import ArtifactStore
from custody.logbook.book import Logbook
from custody.logbook.change import Synced
from custody.logbook.git_history import GitHistory
from custody.logbook.recorder import CURSORS, Recorder
from custody.model.record import Record

_PAGE = 500


class GitCursor(Record, frozen=True):
    """How far a branch was read."""

    tip: str
    shallow: bool = False
    """Whether commits were left out, whose parents the clone did not have."""


def sync_git(
    book: Logbook, artifacts: ArtifactStore, folder: str, *, name: str = "", revision: str = "HEAD"
) -> Synced:
    """Add the commits that lead to ``revision`` and are not there, each with its patch.

    ``name`` is what the repository is called; without one it is its place. A history that was
    rewritten is told in the notes: what the logbook held of it stays, since evidence names it.
    """
    history = GitHistory(folder)
    tip = history.tip(revision)
    place = os.fsencode(history.location).decode(errors="backslashreplace")
    called = name or place
    repo = book.database.repeat(lambda it: repos.add_repo(it, "git", called, place))
    cursor_name = f"git:{repo.repo_id}:{tip.name}"
    cursor = book.get(CURSORS, cursor_name, GitCursor)
    notes, start = [], ""
    if cursor is not None:
        if not history.leads_to(cursor.tip, tip.commit):
            notes.append(_rewritten(book, history, repo.repo_id, cursor.tip, tip.commit))
        elif not cursor.shallow:
            start = cursor.tip
    edges = history.edges()
    if edges:
        notes.append(f"the clone is shallow: {len(edges)} commits without their parents left out")
    recorder = Recorder(book, artifacts, repo)
    for missing in _missing(book, repo.repo_id, history.commits(tip.commit, start)):
        recorder.record(history.changes(missing))
    value = GitCursor(tip=tip.commit, shallow=bool(edges))
    return recorder.finish(tip.commit, (cursor_name, value), tuple(notes))


def _missing(book: Logbook, repo_id: int, names: list[str]) -> Iterator[list[str]]:
    """Yield, as one list, the commits that are not there: an earlier sync may have been killed."""
    missing = []
    for begin in range(0, len(names), _PAGE):
        page = names[begin : begin + _PAGE]
        with book.database.reading() as transaction:
            known = repos.known_commits(transaction, repo_id, page)
        missing += [name for name in page if name not in known]
    if missing:
        yield missing


def _rewritten(book: Logbook, history: GitHistory, repo_id: int, was: str, now: str) -> str:
    reachable = set(history.commits(now))
    lost = sum(name not in reachable for name in _held(book, repo_id))
    return (
        f"the history was rewritten: {was[:12]} no longer leads to {now[:12]}; "
        f"{lost} commits that the logbook holds are not in it, and are kept"
    )


def _held(book: Logbook, repo_id: int) -> Iterator[str]:
    after = ""
    while True:
        with book.database.reading() as transaction:
            page = repos.commits(transaction, repo_id, after=after)
        if not page:
            return
        yield from page
        after = page[-1]

"""Brings the logbook up to the history of a Subversion repository."""

from __future__ import annotations

from custody.errors import Refused
from custody.logbook import repos
from custody.logbook.artifacts import ArtifactStore
from custody.logbook.book import Logbook
from custody.logbook.change import Synced
from custody.logbook.recorder import CURSORS, Recorder
from custody.logbook.svn_history import SvnHistory
from custody.model.record import Record


class SvnCursor(Record, frozen=True):
    """How far a repository was read."""

    revision: int
    uuid: str


def sync_svn(book: Logbook, artifacts: ArtifactStore, place: str, *, name: str = "") -> Synced:
    """Add the revisions that are not there, each with its patch.

    ``name`` is what the repository is called; without one it is its address. Raises `Refused` with
    ``rewritten`` when another repository stands there by now, or an older state of this one: the
    numbers of its revisions would mean two things.
    """
    history = SvnHistory(place)
    called = name or history.location
    repo = book.database.repeat(lambda it: repos.add_repo(it, "svn", called, history.location))
    cursor_name = f"svn:{repo.repo_id}"
    cursor = book.get(CURSORS, cursor_name, SvnCursor)
    if cursor is not None:
        _refuse_rewritten(cursor, history)
    first = cursor.revision + 1 if cursor else 1
    recorder = Recorder(book, artifacts, repo)
    recorder.record(history.changes(first, history.head))
    value = SvnCursor(revision=history.head, uuid=history.uuid)
    return recorder.finish(str(history.head), (cursor_name, value), ())


def _refuse_rewritten(cursor: SvnCursor, history: SvnHistory) -> None:
    if cursor.uuid != history.uuid:
        what = f"another repository stands there: {history.uuid}, not {cursor.uuid}"
    elif history.head < cursor.revision:
        what = f"it ends at revision {history.head}; the logbook holds {cursor.revision}"
    else:
        return
    hint = "name it otherwise to follow it as well: `--name NAME`"
    raise Refused("rewritten", what, where=history.location, hint=hint)

"""Changes are taken in many at a time, the bytes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import StorageFailed
from custody.logbook import recorder, repos
from custody.logbook.artifacts import open_artifacts
from custody.logbook.book import Logbook
from custody.logbook.change import HistoryChange
from custody.logbook.folder import FolderArtifacts
from custody.logbook.recorder import Recorder


class Full(FolderArtifacts):
    """A store whose disk is full."""

    def settle(self) -> None:
        raise StorageFailed("no space left")


def change(number: int, patch: bytes) -> HistoryChange:
    return HistoryChange(f"{number:040x}", "2026-01-01T00:00:00Z", "s", {}, patch, "diff", {})


def test_no_row_names_bytes_that_are_not_there(book: Logbook, tmp_path: Path) -> None:
    repo = book.database.repeat(lambda it: repos.add_repo(it, "git", "a", "/a"))
    full = Full(str(tmp_path / "artifacts"))
    recording = Recorder(book, full, repo)
    recording.record([change(1, b"patch")])
    with pytest.raises(StorageFailed):
        recording.finish("tip", ("cursor", "tip"), ())
    assert (book.patches(), book.events()) == ([], [])
    assert book.get(recorder.CURSORS, "cursor", str) is None
    full.close()


def test_many_changes_are_several_batches(
    book: Logbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "_CHANGES", 3)
    monkeypatch.setattr(recorder, "_BYTES", 10)
    repo = book.database.repeat(lambda it: repos.add_repo(it, "git", "a", "/a"))
    store = open_artifacts(str(tmp_path / "artifacts"))
    recording = Recorder(book, store, repo)
    recording.record(change(number, b"x" * number) for number in range(7))
    assert 0 < len(book.patches()) < 6
    done = recording.finish("tip", ("cursor", "tip"), ("note",))
    assert (done.changes, done.patches, done.without_patch) == (7, 6, 1)
    assert book.events()[0].data["notes"] == ["note"]
    assert book.get(recorder.CURSORS, "cursor", str) == "tip"
    store.close()

"""A logbook moves from one database to another with every id, both ways, and again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import LogbookFailed
from custody.logbook.artifacts import ArtifactStore, open_artifacts
from custody.logbook.book import Logbook
from custody.logbook.copy import copy
from custody.logbook.git_sync import sync_git
from custody.logbook.records import NewAttachment
from custody.logbook.tables import COLUMNS, KEYS
from custody.logbook.verify import verify
from support.histories import GitRepo
from support.telling import tell


@pytest.fixture
def other(url: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Logbook]:
    """Return an empty logbook in a database of the other kind than ``book``."""
    is_server = "://" in url
    there = str(tmp_path / "other.sqlite") if is_server else request.getfixturevalue("database")
    with Logbook.open(there) as opened:
        yield opened


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[ArtifactStore, ArtifactStore]]:
    both = open_artifacts(str(tmp_path / "old")), open_artifacts(str(tmp_path / "new"))
    yield both
    for store in both:
        store.close()


def rows(book: Logbook) -> dict[str, list[tuple[object, ...]]]:
    with book.database.reading() as transaction:
        return {
            table: transaction.run(
                f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(KEYS[table])}"
            )
            for table, columns in COLUMNS.items()
        }


@pytest.fixture
def filled(book: Logbook, stores: tuple[ArtifactStore, ArtifactStore], tmp_path: Path) -> Logbook:
    repo = GitRepo(tmp_path / "repo")
    repo.many(12)
    sync_git(book, stores[0], str(repo.folder), name="it", revision="many")
    item = book.add_item("files", "mine", "M", {"a": 1})
    key = stores[0].put(b"evidence")
    stores[0].settle()
    book.add_attachment(
        NewAttachment(item_id=item.item_id, kind="x", uri=key, sha256=key[3:], size_bytes=8)
    )
    for name in ("a", "B", "_", "ä", "Z"):
        book.put("odd", name, {"name": name})
    return book


def test_everything_is_there_with_its_id(
    filled: Logbook,
    other: Logbook,
    stores: tuple[ArtifactStore, ArtifactStore],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("custody.logbook.copy._PAGE", 5)
    copied = copy(filled, other, artifacts=stores)
    assert rows(other) == rows(filled)
    assert (copied.rows["scm.patch_blobs"], copied.artifacts) == (12, 13)
    assert verify(other, stores[1]).intact
    again = copy(filled, other, artifacts=stores)
    assert (set(again.rows.values()), again.artifacts) == ({0}, 0)
    filled.put("odd", "a", 2)
    filled.add_item("files", "later")
    again = copy(filled, other, artifacts=None)
    assert (again.rows["logbook.items"], rows(other)) == (1, rows(filled))
    assert other.add_item("files", "new").item_id == 3, "ids go on after those that were copied"


def test_bytes_that_are_missing_or_damaged_there_are_copied_again(
    filled: Logbook,
    other: Logbook,
    stores: tuple[ArtifactStore, ArtifactStore],
    tmp_path: Path,
) -> None:
    copy(filled, other, artifacts=stores)
    missing, damaged, *_ = sorted((tmp_path / "new" / "blobs").glob("*/*"))
    missing.unlink()
    damaged.chmod(0o600)
    damaged.write_bytes(b"other")
    later = open_artifacts(str(tmp_path / "new"))
    assert copy(filled, other, artifacts=(stores[0], later)).artifacts == 2
    assert verify(other, later).intact
    later.close()


def test_a_target_with_something_of_its_own_is_refused(filled: Logbook, other: Logbook) -> None:
    tell(other, "mine", {})
    with pytest.raises(LogbookFailed) as caught:
        copy(filled, other, artifacts=None)
    assert caught.value.code == "diverged"
    assert [event.kind for event in other.events()] == ["mine"]


def test_more_at_the_target_is_refused(filled: Logbook, other: Logbook) -> None:
    copy(filled, other, artifacts=None)
    other.add_item("files", "its own")
    with pytest.raises(LogbookFailed) as caught:
        copy(filled, other, artifacts=None)
    assert caught.value.code == "diverged"
    with pytest.raises(LogbookFailed):
        copy(filled, other, artifacts=None)

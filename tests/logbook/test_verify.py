"""What was done to a logbook, or to its bytes, is found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from custody.evidence.uri import build_file_uri
from custody.logbook import events
from custody.logbook.artifacts import ArtifactStore, open_artifacts, sha256_of
from custody.logbook.book import ATTACHED, Logbook
from custody.logbook.records import NewAttachment, NewPatch
from custody.logbook.verify import verify


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ArtifactStore]:
    opened = open_artifacts(str(tmp_path / "artifacts"))
    yield opened
    opened.close()


@pytest.fixture
def filled(book: Logbook, store: ArtifactStore, tmp_path: Path) -> Logbook:
    key = store.put(b"evidence")
    store.settle()
    sha256 = sha256_of(key)
    (tmp_path / "file").write_bytes(b"evidence")
    file = build_file_uri(str(tmp_path / "file"))
    new = NewPatch(source_type="git", source_id="1:a", uri=key, sha256=sha256, size_bytes=8)
    book.add_patches([new, msgspec.structs.replace(new, source_id="1:b")])
    item = book.add_item("files", "mine").item_id
    book.add_attachment(
        NewAttachment(item_id=item, kind="file", uri=file, sha256=sha256, size_bytes=8)
    )
    return book


def test_what_holds_is_intact(filled: Logbook, store: ArtifactStore) -> None:
    found = verify(filled, store)
    assert (found.intact, found.pointers, found.problems) == (True, 3, ())
    assert verify(filled, store, head=found.events.head).intact
    assert not verify(filled, store, head="f" * 64).intact


def test_changed_bytes_are_found(filled: Logbook, store: ArtifactStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"forgery!")
    [problem] = verify(filled, store).problems
    assert problem.what == "its bytes have another sha256"
    (tmp_path / "file").unlink()
    [problem] = verify(filled, store).problems
    assert "its bytes cannot be had" in problem.what


@pytest.mark.parametrize(
    ("forgery", "what"),
    [
        ("UPDATE scm.patch_blobs SET size_bytes = 7 WHERE blob_id = 1", "8 bytes, not 7"),
        ("UPDATE scm.patch_blobs SET source_id = '1:c' WHERE blob_id = 1", "not that of its"),
        ("UPDATE scm.patch_blobs SET uri = 'ab' WHERE blob_id = 1", "cannot be had"),
    ],
)
def test_changed_rows_are_found(
    filled: Logbook, store: ArtifactStore, forgery: str, what: str
) -> None:
    filled.database.repeat(lambda it: it.run(forgery))
    found = verify(filled, store)
    assert not found.intact
    assert what in found.problems[0].what


@pytest.mark.parametrize(
    ("forgery", "what"),
    [
        ("UPDATE logbook.attachments SET uri = ?, sha256 = ?", "was added with the sha256"),
        ("UPDATE logbook.attachments SET attachment_id = 9, uri = ?, sha256 = ?", "no event tells"),
    ],
)
def test_an_attachment_that_leads_elsewhere_is_found(
    filled: Logbook, store: ArtifactStore, forgery: str, what: str
) -> None:
    key = store.put(b"forgery!")
    store.settle()
    filled.database.repeat(lambda it: it.run(forgery, key, sha256_of(key)))
    found = verify(filled, store)
    assert not found.intact
    assert what in found.problems[0].what
    assert found.events.broken_at == 0


def test_an_attachment_that_was_taken_out_is_found(filled: Logbook, store: ArtifactStore) -> None:
    [one] = filled.attachments()
    filled.database.repeat(lambda it: it.run("DELETE FROM logbook.attachments"))
    [problem] = verify(filled, store).problems
    assert (problem.evidence_uri, "not there any more" in problem.what) == (one.evidence_uri, True)


def test_an_event_that_tells_nothing_sensible_breaks_nothing(
    filled: Logbook, store: ArtifactStore
) -> None:
    filled.database.repeat(
        lambda it: events.append(it, ATTACHED, {"attachment_id": "x"}, item_id=None)
    )
    assert verify(filled, store).intact

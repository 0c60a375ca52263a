"""Artifacts in a folder: private, hashed again, and never through a link."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import ResolveFailed
from custody.logbook.artifacts import key_of
from custody.logbook.folder import FolderArtifacts


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FolderArtifacts]:
    opened = FolderArtifacts(str(tmp_path / "artifacts"))
    yield opened
    opened.close()


def place(store: FolderArtifacts, key: str) -> Path:
    return Path(store.where) / "blobs" / key


def test_it_is_its_owners_alone(store: FolderArtifacts) -> None:
    assert Path(store.where).stat().st_mode & 0o777 == 0o700


def test_changed_bytes_are_not_given_out(store: FolderArtifacts) -> None:
    key = store.put(b"evidence")
    store.settle()
    place(store, key).chmod(0o600)
    place(store, key).write_bytes(b"forgery!")
    with pytest.raises(ResolveFailed) as caught:
        store.read(key)
    assert caught.value.code == "changed"
    place(store, key).unlink()
    with pytest.raises(ResolveFailed) as caught:
        store.read(key)
    assert caught.value.code == "gone"


def test_a_link_is_not_followed(store: FolderArtifacts, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"evidence")
    key = key_of(b"evidence")
    place(store, key).parent.mkdir(parents=True)
    place(store, key).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ResolveFailed):
        store.read(key)


def test_two_at_once_put_the_same(store: FolderArtifacts) -> None:
    other = FolderArtifacts(store.where)
    assert store.put(b"evidence") == other.put(b"evidence")
    other.settle()
    other.close()
    assert store.read(key_of(b"evidence")) == b"evidence"


def test_what_is_too_large_is_told(store: FolderArtifacts, monkeypatch: pytest.MonkeyPatch) -> None:
    key = store.put(b"evidence")
    monkeypatch.setattr("custody.store.blobs.READ_LIMIT", 3)
    with pytest.raises(ResolveFailed) as caught:
        store.read(key)
    assert caught.value.code == "too_large"

"""Bytes by their hash: in a folder and in a bucket, alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import ResolveFailed, UsageError
from custody.evidence import Artifacts
from custody.logbook.artifacts import ArtifactStore, is_key, key_of, open_artifacts, sha256_of

MISSING = key_of(b"never put")


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ArtifactStore]:
    where = "bucket" if request.param == "s3" else ""
    url = str(request.getfixturevalue(where)) if where else str(tmp_path / "artifacts")
    opened = open_artifacts(url)
    yield opened
    opened.close()


def test_what_is_put_is_read(store: ArtifactStore) -> None:
    reading: Artifacts = store
    keys = [store.put(data) for data in (b"", b"one", b"one", bytes(300_000))]
    store.settle()
    assert keys[1] == keys[2] == key_of(b"one")
    assert [reading.read(key) for key in keys] == [b"", b"one", b"one", bytes(300_000)]


def test_what_is_held_is_whole(store: ArtifactStore) -> None:
    key = store.put(b"one")
    store.settle()
    assert (store.holds(key), store.holds(MISSING)) == (True, False)
    store.settle()


@pytest.mark.parametrize(
    "key",
    [
        "../../etc/passwd", "/etc/passwd", "ab/../cd", "", "blobs/ab", "AB/" + "a" * 64,
        "ab/" + "c" * 64, "aa/" + "a" * 63, "aa/" + "a" * 64 + "\n", "file:///etc/passwd",
    ],
)  # fmt: skip
def test_no_key_leads_out(store: ArtifactStore, key: str) -> None:
    with pytest.raises(ResolveFailed) as caught:
        store.read(key)
    assert caught.value.code == "refused"


def test_what_is_not_there_is_gone(store: ArtifactStore) -> None:
    with pytest.raises(ResolveFailed) as caught:
        store.read(MISSING)
    assert caught.value.code == "gone"


@pytest.mark.parametrize("url", ["", "ftp://server/x", "gs://bucket", "a\nb"])
def test_what_is_no_store_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        open_artifacts(url)


@given(st.text(max_size=70))
def test_no_text_is_a_key_by_chance(text: str) -> None:
    assert not is_key(text)


def test_a_key_is_made_of_the_hash() -> None:
    key = key_of(b"x")
    assert is_key(key)
    assert key == f"{sha256_of(key)[:2]}/{sha256_of(key)}"

"""What workspace files hold is kept as blobs, each once and of one version."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.store.blobs import Blobs
from custody.store.root import Root
from custody.workspace.contents import IN_MEMORY, Contents, copy_all
from support.workspaces import Site


@pytest.fixture
def blobs(site: Site) -> Blobs:
    """Return the blobs of a run."""
    return site.run().blobs


@pytest.fixture
def root(site: Site) -> Iterator[Root]:
    """Return a folder with files to keep."""
    with Root.open(str(site.source)) as opened:
        yield opened


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("size", [0, 1, IN_MEMORY, IN_MEMORY + 1])
def test_a_file_is_kept(blobs: Blobs, root: Root, size: int) -> None:
    data = b"x" * size
    root.write("file", data)
    state, digest = Contents(blobs).keep_file(root, "file")
    assert (state.st_size, digest) == (size, sha256(data))
    assert blobs.get(digest) == data


def test_without_blobs_it_is_only_looked_at(root: Root) -> None:
    root.write("file", b"x")
    assert Contents(None).keep_file(root, "file")[1] == sha256(b"x")
    Contents(None).keep(b"y")


def test_what_is_known_to_be_kept_is_not_put_again(blobs: Blobs, root: Root) -> None:
    root.write("file", b"x")
    contents = Contents(blobs)
    contents.trust(sha256(b"x"))
    contents.keep_file(root, "file")
    assert not blobs.has(sha256(b"x"))


def test_what_a_file_is_going_to_hold_is_kept_beforehand(blobs: Blobs) -> None:
    Contents(blobs).keep(b"soon")
    assert blobs.get(sha256(b"soon")) == b"soon"


@pytest.mark.parametrize(
    ("name", "code"), [("missing", "missing"), ("link", "symlink"), ("folder", "not_regular")]
)
def test_what_is_no_file_is_refused(blobs: Blobs, root: Root, name: str, code: str) -> None:
    root.write_link("link", "elsewhere")
    root.make_dirs("folder")
    with pytest.raises(PathRefused) as refused:
        Contents(blobs).keep_file(root, name)
    assert refused.value.code == code


def test_a_second_name_is_no_reason_to_refuse_here(blobs: Blobs, root: Root, site: Site) -> None:
    root.write("file", b"x")
    (site.source / "twin").hardlink_to(site.source / "file")
    assert Contents(blobs).keep_file(root, "file")[1] == sha256(b"x")


def test_a_file_that_is_written_meanwhile(
    blobs: Blobs, root: Root, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    root.write("file", b"first")
    real = os.pread

    def pread(descriptor: int, size: int, offset: int) -> bytes:
        data = real(descriptor, size, offset)
        (site.source / "file").write_bytes(b"other")
        return data

    monkeypatch.setattr(os, "pread", pread)
    with pytest.raises(PathRefused) as refused:
        Contents(blobs).keep_file(root, "file")
    assert refused.value.code == "changed_during_read"


def test_bytes_are_copied_whole(tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(b"0123456789")
    with (tmp_path / "source").open("rb") as source, (tmp_path / "target").open("wb") as target:
        assert copy_all(source.fileno(), target.fileno()) == 10
    assert (tmp_path / "target").read_bytes() == b"0123456789"


@pytest.mark.req("G-09")
@pytest.mark.parametrize("holes", [(), (0,), (1, 2), (4,), (0, 1, 2, 3, 4)])
def test_holes_are_copied_as_holes(tmp_path: Path, holes: tuple[int, ...]) -> None:
    part = 1 << 20
    with (tmp_path / "source").open("wb") as source:
        for number in range(5):
            source.seek(number * part)
            if number not in holes:
                source.write(bytes([number + 1]) * part)
        source.truncate(5 * part)
    with (tmp_path / "source").open("rb") as source, (tmp_path / "target").open("wb") as target:
        assert copy_all(source.fileno(), target.fileno()) == 5 * part
    assert (tmp_path / "target").read_bytes() == (tmp_path / "source").read_bytes()
    taken = (tmp_path / "target").stat().st_blocks * 512
    assert taken <= (5 - len(holes)) * part + 65536


def test_what_is_no_file_is_not_kept(blobs: Blobs, root: Root) -> None:
    root.make_dirs("folder")
    folder = root.open_dir("folder")
    try:
        with pytest.raises(PathRefused) as refused:
            Contents(blobs).keep_open(folder, root, "folder")
    finally:
        os.close(folder)
    assert refused.value.code == "not_regular"

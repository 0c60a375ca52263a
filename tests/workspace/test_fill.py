"""Files of a workspace come from blobs, with their modes and times."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from custody.errors import BlobDamaged, CustodyError
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.contents import IN_MEMORY
from custody.workspace.fill import Fill, read_states


class File(NamedTuple):
    path: str
    sha256: str
    size: int
    mode: int = 0o644
    times: tuple[int, int] | None = None


@pytest.fixture
def run(tmp_path: Path) -> Iterator[RunDirectory]:
    """Yield a new run."""
    with RunDirectory.create(str(tmp_path / "runs"), "r1") as made:
        made.root.make_dirs("ws/d")
        yield made


@pytest.fixture
def target(run: RunDirectory) -> Iterator[Root]:
    """Yield an empty workspace with one folder."""
    with run.root.sub("ws") as opened:
        yield opened


def fill(run: RunDirectory, target: Root, *wanted: File, check: bool = False) -> None:
    with closing(Fill(target, run.blobs.folder, [wanted], check=check)) as work:
        states = read_states(work.do(0))
    for file, state in zip(wanted, states, strict=True):
        real = target.stat(file.path)
        assert (state.st_ino, state.st_size, state.st_mode) == (
            real.st_ino,
            real.st_size,
            real.st_mode,
        )
        assert (state.st_mtime_ns, state.st_ctime_ns) == (real.st_mtime_ns, real.st_ctime_ns)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("size", [0, 3, IN_MEMORY + 1])
def test_a_file_is_its_blob_and_not_the_same_file(
    run: RunDirectory, target: Root, size: int, *, check: bool
) -> None:
    data = b"x" * size
    fill(run, target, File("d/f", run.blobs.put(data), size), check=check)
    assert target.read("d/f") == data
    assert target.stat("d/f").st_nlink == 1


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o400, 0o000, 0o666, 0o4755, 0o2644])
@pytest.mark.parametrize("umask", [0o022, 0o077, 0])
def test_the_mode_is_exact(run: RunDirectory, target: Root, mode: int, umask: int) -> None:
    before = os.umask(umask)
    try:
        fill(run, target, File("f", run.blobs.put(b"x"), 1, mode))
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat("f").st_mode) == mode


def test_times_are_those_that_are_wanted(run: RunDirectory, target: Root) -> None:
    fill(run, target, File("f", run.blobs.put(b"x"), 1, times=(1_000_000_007, 2_000_000_009)))
    assert target.stat("f").st_mtime_ns == 2_000_000_009


@pytest.mark.parametrize("size", [3, IN_MEMORY + 1])
def test_a_damaged_blob_is_told_when_it_is_doubted(
    run: RunDirectory, target: Root, size: int
) -> None:
    sha256 = hashlib.sha256(b"x" * size).hexdigest()
    run.blobs.folder.create(sha256, b"y" * size)
    with pytest.raises(BlobDamaged) as caught:
        fill(run, target, File("f", sha256, size), check=True)
    assert caught.value.where == f"{run.path}/{run.blobs.path_of(sha256)}"


def test_a_missing_blob_is_told(run: RunDirectory, target: Root) -> None:
    with pytest.raises(BlobDamaged, match="missing"):
        fill(run, target, File("f", "0" * 64, 1))


def test_what_is_there_is_not_written_to(run: RunDirectory, target: Root) -> None:
    target.write("f", b"other")
    with pytest.raises(CustodyError):
        fill(run, target, File("f", run.blobs.put(b"x"), 1))
    assert target.read("f") == b"other"


def test_a_piece_can_be_done_again(run: RunDirectory, target: Root) -> None:
    wanted = [File("f", run.blobs.put(b"x"), 1), File("d/g", run.blobs.put(b"y"), 1)]
    target.write("f", b"half")
    with closing(Fill(target, run.blobs.folder, [wanted], check=False)) as work:
        work.undo(0)
        work.do(0)
    assert target.read("f") + target.read("d/g") == b"xy"

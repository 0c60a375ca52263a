"""All blobs of a run, given to another one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import BlobDamaged
from custody.store.blob_sharing import share
from custody.store.rundir import RunDirectory
from custody.store.workers import FEW

LARGE = 3 << 20


@pytest.fixture
def other(tmp_path: Path) -> Iterator[RunDirectory]:
    """Yield another run beside the first."""
    with RunDirectory.create(str(tmp_path / "runs"), "run_2") as made:
        yield made


def test_copying_to_another_run(run: RunDirectory, other: RunDirectory) -> None:
    names = [run.blobs.put(os.urandom(size)) for size in (0, 10, LARGE)]
    share(run.blobs, other.blobs)
    assert all(other.blobs.get(name) == run.blobs.get(name) for name in names)
    other.blobs.sync()


def test_they_are_the_same_files(run: RunDirectory, other: RunDirectory) -> None:
    name = run.blobs.put(b"abc")
    share(run.blobs, other.blobs)
    one, two = (each.root.stat(each.blobs.path_of(name)) for each in (run, other))
    assert (one.st_ino, one.st_nlink) == (two.st_ino, 2)
    run.root.remove(run.blobs.path_of(name))
    assert other.blobs.get(name) == b"abc"


@pytest.mark.parametrize("more", [0, FEW])
def test_damage_is_told(run: RunDirectory, other: RunDirectory, more: int) -> None:
    names = [run.blobs.put(b"%d" % number) for number in range(more + 2)]
    share(run.blobs, other.blobs)
    run.root.remove(run.blobs.path_of(names[1]))
    run.root.write(run.blobs.path_of(names[1]), b"changed")
    with pytest.raises(BlobDamaged) as caught:
        share(run.blobs, other.blobs)
    assert caught.value.where == f"{run.path}/{run.blobs.path_of(names[1])}"


def test_copying_nothing(run: RunDirectory, other: RunDirectory) -> None:
    share(run.blobs, other.blobs)
    assert other.root.names() == []

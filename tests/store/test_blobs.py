"""Content by its hash: whole, verified, durable when asked for."""

from __future__ import annotations

import hashlib
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from custody.errors import BlobDamaged, PathRefused, StorageFailed
from custody.store.blobs import Blobs
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from support.sweep import examples

ABC = hashlib.sha256(b"abc").hexdigest()
LARGE = 3 << 20


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(30))
@given(st.binary(max_size=200))
def test_what_was_put_is_got(run: RunDirectory, data: bytes) -> None:
    name = run.blobs.put(data)
    assert name == sha256(data)
    assert run.blobs.get(name) == data
    assert run.blobs.check(name) == len(data)
    assert run.root.read(run.blobs.path_of(name)) == data


def test_putting_twice_writes_once(run: RunDirectory) -> None:
    run.blobs.put(b"abc")
    before = run.root.stat(run.blobs.path_of(ABC))
    run.blobs.put(b"abc")
    assert run.root.stat(run.blobs.path_of(ABC)) == before
    assert run.blobs.path_of(ABC) == f"blobs/ba/{ABC}"


def test_files_of_any_size(run: RunDirectory, tree: Root) -> None:
    for data in (b"", b"small", os.urandom(LARGE)):
        tree.write("d/f", data)
        assert run.blobs.put_file(tree, "d/f") == (sha256(data), len(data))
        assert run.blobs.get(sha256(data)) == data
        assert run.blobs.put_file(tree, "d/f") == (sha256(data), len(data))
    assert [name for name in run.root.names("blobs") if name.startswith(".")] == []


def test_a_large_file_is_not_held_in_memory(run: RunDirectory, tree: Root) -> None:
    tree.write("f", bytes(32 << 20))
    tracemalloc.start()
    try:
        name, _ = run.blobs.put_file(tree, "f")
        run.blobs.check(name)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 << 20


def test_what_a_root_refuses_is_refused(run: RunDirectory, tree: Root, outside: Path) -> None:
    os.symlink(outside / "secret", f"{tree.path}/link")
    os.link(outside / "secret", f"{tree.path}/twin")
    tree.write("large", bytes(LARGE))
    for name, code in (("link", "symlink"), ("twin", "hardlink"), ("none", "missing")):
        with pytest.raises(PathRefused) as caught:
            run.blobs.put_file(tree, name)
        assert caught.value.code == code
    with pytest.raises(PathRefused) as caught:
        run.blobs.put_file(tree, "large", limit=LARGE - 1)
    assert caught.value.code == "too_large"


@pytest.mark.parametrize("found", [b"abd", b"", b"abcd", None])
def test_damage_is_told(run: RunDirectory, found: bytes | None) -> None:
    path = run.blobs.path_of(run.blobs.put(b"abc"))
    run.root.remove(path)
    if found is not None:
        run.root.write(path, found)
    for look in (run.blobs.get, run.blobs.check):
        with pytest.raises(BlobDamaged) as caught:
            look(ABC)
        assert caught.value.where.endswith(path)


@pytest.mark.parametrize("name", ["", "x", "../../etc/passwd", ABC.upper(), ABC + "\n"])
def test_a_name_that_is_no_hash(run: RunDirectory, name: str) -> None:
    for look in (run.blobs.get, run.blobs.check, run.blobs.has, run.blobs.path_of):
        with pytest.raises(BlobDamaged):
            look(name)


def test_has(run: RunDirectory) -> None:
    assert not run.blobs.has(ABC)
    run.blobs.put(b"abc")
    assert run.blobs.has(ABC)
    assert Blobs(run.root).has(ABC)


def test_what_another_process_left_torn_is_replaced(run: RunDirectory) -> None:
    path = Blobs(run.root).path_of(ABC)
    run.root.write(path, b"")
    run.blobs.put(b"abc")
    assert run.blobs.get(ABC) == b"abc"


@pytest.mark.parametrize("count", [1, 3, 40])
def test_sync_of_few_and_of_many(run: RunDirectory, count: int) -> None:
    run.blobs.sync()
    names = [run.blobs.put(b"%d" % number) for number in range(count)]
    run.blobs.sync()
    run.blobs.sync()
    assert all(run.blobs.has(name) for name in names)


def test_a_sync_that_fails_is_not_believed_again(run: RunDirectory) -> None:
    name = run.blobs.put(b"abc")
    before = run.root.stat(run.blobs.path_of(name)).st_ino
    kept = os.dup(run.root.fd)
    source, sink = os.pipe()
    try:
        os.dup2(sink, run.root.fd, inheritable=False)
        with pytest.raises(StorageFailed):
            run.blobs.sync()
    finally:
        os.dup2(kept, run.root.fd, inheritable=False)
        for descriptor in (kept, source, sink):
            os.close(descriptor)
    run.blobs.put(b"abc")
    assert run.root.stat(run.blobs.path_of(name)).st_ino != before


@pytest.mark.req("G-09")
def test_a_sparse_file_costs_what_it_holds(run: RunDirectory, tmp_path: Path) -> None:
    size = 512 << 20
    with (tmp_path / "sparse").open("wb") as file:
        file.seek(100 << 20)
        file.write(b"data")
        file.truncate(size)
    with Root.open(str(tmp_path)) as tree:
        name, kept = run.blobs.put_file(tree, "sparse")
    assert kept == size
    assert run.blobs.check(name) == size
    state = run.root.stat(run.blobs.path_of(name))
    assert (state.st_size, state.st_blocks * 512 < 1 << 20) == (size, True)


def test_a_damaged_blob_is_not_handed_on(run: RunDirectory, tmp_path: Path) -> None:
    with RunDirectory.create(str(tmp_path / "runs"), "run_2") as other:
        other.blobs.folder.create(ABC, b"half")
        with pytest.raises(BlobDamaged):
            run.blobs.put_blob(other.blobs, ABC)
    assert list(run.blobs.names()) == []


@pytest.mark.parametrize("size", [3, LARGE])
def test_a_file_with_a_second_name_is_not_kept(
    run: RunDirectory, tmp_path: Path, size: int
) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "file").write_bytes(bytes(size))
    (folder / "other").hardlink_to(folder / "file")
    with Root.open(str(folder)) as root, pytest.raises(PathRefused) as caught:
        run.blobs.put_file(root, "file")
    assert caught.value.code == "hardlink"

"""Contents of a source become blobs: read once, linked where they are known."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from custody.errors import PathRefused, StorageFailed
from custody.model.change import Entry
from custody.store.hash_cache import HashCache, Known
from custody.store.resolve import own
from custody.store.root import DIGEST_LIMIT, Root
from custody.store.rundir import RunDirectory
from custody.workspace.contents import IN_MEMORY
from custody.workspace.donor import Beginning, Donor
from custody.workspace.source import Group
from custody.workspace.take import Take, Taken, read_taken

LONG_AGO = 10**18
TREE = "a" * 64
LARGE = IN_MEMORY + 1


class Ground:
    """A source, an earlier run and a new one."""

    def __init__(self, home: Path) -> None:
        self.source = home / "source"
        self.source.mkdir()
        self.earlier = RunDirectory.create(str(home / "runs"), "r1")
        self.new = RunDirectory.create(str(home / "runs"), "r2")
        self.sizes: dict[str, int] = {}
        self.tree = ""
        """Of which the cache says that it vouches for it."""
        self.listed = False
        """Whether the earlier run's listing was read."""

    def had(self, data: bytes) -> str:
        """Let the earlier run have begun with a content."""
        sha256 = self.earlier.blobs.put(data)
        self.sizes[sha256] = len(data)
        return sha256

    def write(self, name: str, data: bytes) -> Known:
        """Put a file into the source; return how it would be known by its content."""
        (self.source / name).write_bytes(data)
        return self.known(name, hashlib.sha256(data).hexdigest())

    def known(self, name: str, sha256: str) -> Known:
        """Return what a cache would say of a file."""
        state = (self.source / name).stat()
        return Known(
            state.st_dev,
            state.st_ino,
            state.st_size,
            state.st_mtime_ns,
            state.st_ctime_ns,
            sha256,
        )

    def take(self, **known: Known) -> dict[str, Taken]:
        """Take every file of the source."""
        with Root.open(str(self.source), resolver=own) as source:
            donor = Donor(self.earlier.blobs.folder, self.beginning())
            cache = HashCache.of("r1", self.tree, {"": known})
            pieces = [[Group("", sorted(os.listdir(self.source)))]]
            with closing(Take(source, self.new.blobs.folder, pieces, cache, donor)) as work:
                return {file.path: file for file in read_taken(work.do(0))}

    def beginning(self) -> Beginning:
        """Return what the earlier run's journal would begin with, less its listing."""

        def read() -> list[Entry]:
            self.listed = True
            return [
                Entry(path=sha256, kind="file", mode=0o644, sha256=sha256, bytes=size)
                for sha256, size in self.sizes.items()
            ]

        return Beginning(TREE, LONG_AGO * 100, read)

    def is_shared(self, sha256: str) -> bool:
        """Tell whether the new run has the earlier one's file."""
        state = self.new.blobs.folder.state(sha256)
        return state is not None and state.st_nlink == 2

    def close(self) -> None:
        self.earlier.close()
        self.new.close()


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    """Yield a source that is empty yet."""
    with closing(Ground(tmp_path)) as made:
        yield made


@pytest.mark.parametrize("size", [0, 3, LARGE])
def test_a_new_content_is_written(ground: Ground, size: int) -> None:
    data = b"x" * size
    known = ground.write("f", data)
    (ground.source / "f").chmod(0o640)
    file = ground.take()["f"]
    assert (file.sha256, file.size, file.mode) == (known.sha256, size, 0o640)
    assert (file.inode, file.modified) == (known.inode, known.modified)
    assert ground.new.blobs.get(known.sha256) == data
    assert not ground.is_shared(known.sha256)
    state = ground.new.blobs.folder.state(known.sha256)
    assert state is not None
    assert state.st_mode & 0o777 == 0o444


@pytest.mark.parametrize("size", [0, 3, LARGE])
def test_what_the_earlier_run_has_is_linked(ground: Ground, size: int) -> None:
    sha256 = ground.had(b"x" * size)
    ground.write("f", b"x" * size)
    assert ground.take()["f"].sha256 == sha256
    assert ground.is_shared(sha256)
    assert [name for name in os.listdir(ground.new.blobs.folder.fd) if "tmp" in name] == []


def test_what_is_known_is_not_read(ground: Ground) -> None:
    """Only a file that is believed can have another content than it has."""
    believed = ground.had(b"abd")
    ground.write("f", b"abc")
    assert ground.take(f=ground.known("f", believed))["f"].sha256 == believed
    assert ground.is_shared(believed)


def test_the_listing_is_not_read_where_the_cache_is_of_that_tree(ground: Ground) -> None:
    ground.tree, believed = TREE, ground.had(b"abd")
    ground.write("f", b"abc")
    assert ground.take(f=ground.known("f", believed))["f"].sha256 == believed
    assert ground.is_shared(believed)
    assert not ground.listed


def test_a_cache_of_another_tree_is_not_believed_without_the_listing(ground: Ground) -> None:
    ground.tree = "b" * 64
    sha256 = ground.earlier.blobs.put(b"abc")  # of a stage: the listing does not name it
    ground.write("f", b"abc")
    assert ground.take(f=ground.known("f", sha256))["f"].sha256 == sha256
    assert ground.listed
    assert not ground.is_shared(sha256)


@pytest.mark.parametrize("what", ["times", "donor", "nothing"])
def test_what_is_known_wrongly_is_read(ground: Ground, what: str) -> None:
    believed = ground.had(b"abd") if what != "donor" else hashlib.sha256(b"abd").hexdigest()
    true = ground.write("f", b"abc").sha256
    known = {} if what == "nothing" else {"f": ground.known("f", believed)}
    if what == "times":
        before = (ground.source / "f").stat()
        while (ground.source / "f").stat().st_ctime_ns == before.st_ctime_ns:
            os.utime(ground.source / "f", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert ground.take(**known)["f"].sha256 == true
    assert ground.new.blobs.get(true) == b"abc"


def test_the_same_content_twice_is_one_blob(ground: Ground) -> None:
    for name in ("a", "b"):
        ground.write(name, b"abc")
    taken = ground.take()
    assert taken["a"].sha256 == taken["b"].sha256
    assert len(list(ground.new.blobs.names())) == 1


def during_read(monkeypatch: pytest.MonkeyPatch, act: Callable[[int], object]) -> None:
    """Let something happen after each read."""
    real, reads = os.pread, iter(range(100))

    def pread(descriptor: int, size: int, at: int) -> bytes:
        data = real(descriptor, size, at)
        act(next(reads))
        return data

    monkeypatch.setattr(os, "pread", pread)


def test_a_file_that_holds_still_at_last_is_taken(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.write("f", b"abc")
    during_read(monkeypatch, lambda turn: ground.write("f", b"%d" % turn) if turn < 2 else None)
    assert ground.take()["f"].sha256 == hashlib.sha256(b"1").hexdigest()


def test_a_file_that_never_holds_still_is_told(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.write("f", b"abc")
    during_read(monkeypatch, lambda turn: ground.write("f", b"%d" % turn))
    with pytest.raises(PathRefused) as caught:
        ground.take()
    assert caught.value.code == "changed_during_read"
    assert caught.value.where == f"{ground.source}/f"


def test_a_file_that_claims_too_much_is_told(ground: Ground) -> None:
    with (ground.source / "f").open("wb") as file:
        file.truncate(DIGEST_LIMIT + 1)
    with pytest.raises(PathRefused) as caught:
        ground.take()
    assert caught.value.code == "too_large"


@pytest.mark.parametrize(("kind", "code"), [("link", "symlink"), ("gone", "missing")])
def test_a_file_that_is_none_any_more_is_told(ground: Ground, kind: str, code: str) -> None:
    with Root.open(str(ground.source), resolver=own) as source:
        if kind == "link":
            (ground.source / "f").symlink_to("x")
        work = Take(source, ground.new.blobs.folder, [[Group("", ["f"])]], HashCache(), None)
        with closing(work), pytest.raises(PathRefused) as caught:
            work.do(0)
    assert (caught.value.code, caught.value.where) == (code, f"{ground.source}/f")


@pytest.mark.parametrize("size", [3, LARGE])
def test_what_a_process_left_half_is_made_again(ground: Ground, size: int) -> None:
    sha256 = ground.write("f", b"x" * size).sha256
    ground.new.blobs.folder.create(sha256, b"")
    with Root.open(str(ground.source), resolver=own) as source:
        work = Take(source, ground.new.blobs.folder, [[Group("", ["f"])]], HashCache(), None)
        with closing(work):
            work.undo(0)
            work.refuse_half(read_taken(work.do(0)))
    assert ground.new.blobs.check(sha256) == size


def test_half_a_blob_that_others_rely_on_is_told(ground: Ground) -> None:
    ground.write("f", b"abc")
    with Root.open(str(ground.source), resolver=own) as source:
        work = Take(source, ground.new.blobs.folder, [[Group("", ["f"])]], HashCache(), None)
        with closing(work):
            taken = read_taken(work.do(0))
            work.undo(0)
            ground.new.root.remove(ground.new.blobs.path_of(taken[0].sha256))
            with pytest.raises(StorageFailed):
                work.refuse_half(taken)

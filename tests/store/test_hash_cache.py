"""What is known of a source: never more than is true, and nothing when in doubt."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from custody.model import layout
from custody.store import hash_cache
from custody.store.hash_cache import MOST_SOURCES, HashCache, Known
from custody.store.root import Root

TREE = "b" * 64
KNOWN = Known(device=1, inode=2, size=3, modified=4, changed=5, sha256="a" * 64)


@pytest.fixture
def runsdir(tmp_path: Path) -> Iterator[Root]:
    """Yield a folder of runs."""
    (tmp_path / "runs").mkdir()
    with Root.open(str(tmp_path / "runs")) as root:
        yield root


@pytest.fixture
def source(tmp_path: Path) -> os.stat_result:
    """Return the state of a source."""
    (tmp_path / "source").mkdir()
    return (tmp_path / "source").stat()


@pytest.fixture
def saved(runsdir: Root, source: os.stat_result) -> Path:
    """Return where a cache was saved."""
    HashCache.of("r1", TREE, {"a": {"b": KNOWN}}).save(runsdir, source)
    return Path(runsdir.path, layout.SOURCES, f"{source.st_dev}.{source.st_ino}")


def test_what_was_saved_is_loaded(runsdir: Root, source: os.stat_result, saved: Path) -> None:
    assert saved.exists()
    assert HashCache.load(runsdir, source) == HashCache.of("r1", TREE, {"a": {"b": KNOWN}})
    HashCache.of("r2", TREE, {}).save(runsdir, source)
    assert HashCache.load(runsdir, source) == HashCache.of("r2", TREE, {})
    assert os.listdir(saved.parent) == [saved.name]


def test_files_are_known_by_their_folder_and_name() -> None:
    cache = HashCache.of("r1", TREE, {"": {"b": KNOWN}, "a": {"c": KNOWN}})
    assert cache.size == 2
    assert cache.files("") == {"b": KNOWN}
    assert cache.files("a") == {"c": KNOWN}
    assert cache.files("a/c") == {}


def test_another_source_is_not_known(runsdir: Root, saved: Path, tmp_path: Path) -> None:
    assert saved.exists()
    assert HashCache.load(runsdir, tmp_path.stat()) == HashCache()


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"x",
        bytes(4096),
        b"{}",
        b"cut",
        b"bit",
        "foreign",
        "version",
    ],
)
def test_a_damaged_one_is_none_and_is_replaced(
    runsdir: Root, source: os.stat_result, saved: Path, damage: bytes | str
) -> None:
    whole = saved.read_bytes()
    body = whole[32:]
    if damage == b"cut":
        saved.write_bytes(whole[:-1])
    elif damage == b"bit":
        saved.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    elif damage == "foreign":
        saved.write_bytes(sealed(msgspec.msgpack.encode({"files": 1})))
    elif damage == "version":
        saved.write_bytes(sealed(body.replace(b"\x95\x02", b"\x95\x01", 1)))
    else:
        assert isinstance(damage, bytes)
        saved.write_bytes(damage)
    assert HashCache.load(runsdir, source) == HashCache()
    HashCache.of("r2", TREE, {"": {"a": KNOWN}}).save(runsdir, source)
    assert HashCache.load(runsdir, source).run_id == "r2"


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_what_is_no_file_is_none(
    runsdir: Root, source: os.stat_result, saved: Path, kind: str
) -> None:
    saved.unlink()
    if kind == "folder":
        (saved / "x").mkdir(parents=True)
    elif kind == "link":
        saved.symlink_to("/etc/passwd")
    else:
        os.mkfifo(saved)
    assert HashCache.load(runsdir, source) == HashCache()
    HashCache.of("r2", TREE, {}).save(runsdir, source)


def test_there_is_an_end_to_files_and_sources(
    runsdir: Root, source: os.stat_result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(MOST_SOURCES + 3):
        place = tmp_path / f"source{number}"
        place.mkdir()
        HashCache.of(f"r{number}", TREE, {}).save(runsdir, place.stat())
        state = place.stat()
        os.utime(
            f"{runsdir.path}/{layout.SOURCES}/{state.st_dev}.{state.st_ino}", ns=(0, number * 10**9)
        )
    assert len(runsdir.names(layout.SOURCES)) == MOST_SOURCES
    assert HashCache.load(runsdir, (tmp_path / "source0").stat()) == HashCache()
    monkeypatch.setattr(hash_cache, "MOST_FILES", 1)
    HashCache.of("r", TREE, {"": {"a": KNOWN}, "x": {"b": KNOWN}}).save(runsdir, source)
    assert HashCache.load(runsdir, source) == HashCache()


def test_one_that_cannot_be_saved_is_no_failure(
    runsdir: Root, source: os.stat_result, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(os, "write", full)
    HashCache.of("r1", TREE, {"": {"a": KNOWN}}).save(runsdir, source)
    monkeypatch.undo()
    assert HashCache.load(runsdir, source) == HashCache()
    assert runsdir.names(layout.SOURCES) == []


@pytest.mark.parametrize("other", ["same", "touched", "restored", "longer", "replaced", "mode"])
def test_a_file_is_known_by_its_inode_size_and_times(tmp_path: Path, other: str) -> None:
    file = tmp_path / "file"
    file.write_text("abc")
    state = file.stat()
    known = Known(
        state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns, "a" * 64
    )
    while tick(tmp_path) == state.st_ctime_ns:
        pass
    if other == "touched":
        os.utime(file)
    elif other == "restored":
        file.write_text("abd")
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    elif other == "longer":
        file.write_text("abcd")
    elif other == "replaced":
        (tmp_path / "new").write_text("abc")
        os.utime(tmp_path / "new", ns=(state.st_atime_ns, state.st_mtime_ns))
        (tmp_path / "new").rename(file)
    elif other == "mode":
        file.chmod(0o600)
    assert known.is_still(file.stat()) is (other == "same")


def test_an_inode_number_that_is_used_again_is_another_file(tmp_path: Path) -> None:
    state = tmp_path.stat()
    known = Known(
        state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns - 1, ""
    )
    assert not known.is_still(state)
    elsewhere = msgspec.structs.replace(known, changed=state.st_ctime_ns, device=-1)
    assert not elsewhere.is_still(state)


def tick(folder: Path) -> int:
    """Return the change time of a file that is made now."""
    (folder / "tick").write_bytes(b"")
    return (folder / "tick").stat().st_ctime_ns


def sealed(body: bytes) -> bytes:
    return hashlib.sha256(body).digest() + body

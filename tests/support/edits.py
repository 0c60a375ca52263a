"""Things that a program may do to a tree of files, as hypothesis makes them up."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from hypothesis import strategies as st

Edit = tuple[str, str, object]

ALL_USERS = ["0", "0", str(2**32 - 1)]
PARTS = ("a", "b", "a-b", "ü")
MODES = (0o644, 0o755, 0o600, 0o400, 0o000)
CONTENTS = (b"", b"one", b"two", b"more of it\n" * 400)


def paths(parts: tuple[str, ...] = PARTS, depth: int = 3) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(parts), min_size=1, max_size=depth).map("/".join)


def is_root() -> bool:
    """Whether this is the machine's root, and not that of a namespace."""
    return Path("/proc/self/uid_map").read_text().split() == ALL_USERS and os.geteuid() == 0


def _make_own(path: Path) -> None:
    """Replace a file by a copy, unless the machine's root does it.

    In layers that an ordinary user put together the kernel shows a file from below and its new
    link under two inode numbers, by which no walk can tell that they belong together.
    """
    if not is_root() and path.is_file() and not path.is_symlink() and path.stat().st_nlink == 1:
        copy = path.with_name(f"{path.name}.copy")
        shutil.copy2(path, copy)
        copy.rename(path)


def left_open(edit: Edit) -> Edit:
    """Return the edit with nothing closed to its owner."""
    verb, path, value = edit
    if isinstance(value, int) and verb in {"chmod", "mkdir"}:
        return verb, path, value | 0o700
    return edit


def edits_at(places: st.SearchStrategy[str]) -> st.SearchStrategy[Edit]:
    """Return edits at some places; none that keeps out whoever runs the tests, unless root."""
    anything: st.SearchStrategy[Edit] = st.one_of(
        st.tuples(st.just("write"), places, st.sampled_from(CONTENTS)),
        st.tuples(st.just("append"), places, st.sampled_from(CONTENTS)),
        st.tuples(st.just("chmod"), places, st.sampled_from(MODES)),
        st.tuples(st.just("mkdir"), places, st.sampled_from((0o755, 0o700, 0o555))),
        st.tuples(st.just("remove"), places, st.none()),
        st.tuples(st.just("symlink"), places, places),
        st.tuples(st.just("rename"), places, places),
        st.tuples(st.just("link"), places, places),
        st.tuples(st.just("fifo"), places, st.none()),
    )
    return anything if os.geteuid() == 0 else anything.map(left_open)


def odd_edits_at(places: st.SearchStrategy[str]) -> st.SearchStrategy[Edit]:
    """Return edits that leave little to see, or turn one kind of thing into another."""
    return st.one_of(
        st.tuples(st.just("truncate"), places, st.sampled_from((0, 2))),
        st.tuples(st.just("utime"), places, st.just(0)),
        st.tuples(st.just("attribute"), places, st.sampled_from((b"", b"y"))),
        st.tuples(st.just("deep"), places, st.sampled_from((2, 40))),
        st.tuples(st.just("turn"), places, st.sampled_from(("file", "dir", "symlink"))),
    )


EDITS = edits_at(paths())
ODD_PATHS = paths((*PARTS, "\udcff", "new\nline", "b" * 255))
ALL_EDITS = st.one_of(EDITS, EDITS, odd_edits_at(paths()), edits_at(ODD_PATHS))


def apply(top: Path, edit: Edit) -> None:
    """Do one thing to a tree; what cannot be done there is left."""
    verb, name, value = edit
    path = top / name
    if path.is_fifo():
        return  # opening it would wait for a reader
    try:
        _act(top, verb, path, value)
    except OSError:
        return


def _act(top: Path, verb: str, path: Path, value: object) -> None:
    match verb, value:
        case "write", bytes(data):
            path.write_bytes(data)
        case "append", bytes(data):
            with path.open("ab") as file:
                file.write(data)
        case ("chmod", int(mode)) if not path.is_symlink():
            path.chmod(mode)
        case "mkdir", int(mode):
            path.mkdir(parents=True)
            path.chmod(mode)
        case "remove", _:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        case "symlink", str(target):
            path.symlink_to(target)
        case "rename", str(other):
            path.rename(top / other)
        case "link", str(other):
            _make_own(path)
            os.link(path, top / other, follow_symlinks=False)
        case "fifo", _:
            os.mkfifo(path)
        case _:
            _act_oddly(verb, path, value)


def _act_oddly(verb: str, path: Path, value: object) -> None:
    match verb, value:
        case "truncate", int(size):
            os.truncate(path, size)
        case "utime", int(time):
            os.utime(path, (time, time), follow_symlinks=False)
        case "attribute", bytes(data):
            os.setxattr(path, "user.overlay.opaque", data, follow_symlinks=False)
            os.setxattr(path, "user.note", data, follow_symlinks=False)
        case "deep", int(depth):
            path.joinpath(*["d"] * depth).mkdir(parents=True)
            path.joinpath(*["d"] * depth, "end").write_bytes(b"end")
        case "turn", str(kind):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            _make(path, kind)


def _make(path: Path, kind: str) -> None:
    if kind == "file":
        path.write_bytes(b"turned")
    elif kind == "dir":
        path.mkdir()
        (path / "a").write_bytes(b"turned")
    else:
        path.symlink_to("a")


def apply_all(top: Path, some: Iterable[Edit]) -> None:
    """Do many things, one after the other."""
    for edit in some:
        apply(top, edit)

"""Trees of files: what they hold, told by the plainest means there are."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

from support.forking import fork

Picture = dict[str, tuple[str, int, bytes]]
"""By path: kind, mode and content (or target) of everything in a tree."""

DEPTH = 200
"""Of folders below each other; Python 3.11 removes no thousand of them."""


def picture(top: Path) -> Picture:
    """Look at every name, and read every file."""
    found: Picture = {}
    for folder, folders, names in os.walk(top):
        for name in (*folders, *names):
            path = Path(folder, name)
            state = path.lstat()
            mode = stat.S_IMODE(state.st_mode)
            shown = os.fsencode(path.relative_to(top)).decode("utf-8", "backslashreplace")
            if path.is_symlink():
                found[shown] = "symlink", mode, os.fsencode(os.readlink(path))
            elif path.is_dir():
                found[shown] = "dir", mode, b""
            elif path.is_file():
                found[shown] = "file", mode, path.read_bytes()
            else:
                found[shown] = "other", mode, b""
    return found


def open_up(top: Path) -> None:
    """Let the owner of a tree's folders into each of them, however deep they lie."""
    closed = ["-type", "d", "!", "-perm", "-u=rwx"]
    opened = ["-execdir", "chmod", "u+rwx", "{}", ";"]
    subprocess.run(["find", top, *closed, *opened], check=True)


def make_removable(top: Path) -> None:
    """Leave nothing that ``shutil.rmtree`` stops at: no closed folder, and none it cannot reach."""
    open_up(top)
    subprocess.run(["find", top, "-mindepth", str(DEPTH), "-delete"], check=True)


def remove(top: Path) -> None:
    """Remove a tree, with the folders in it that are closed to their owner."""
    make_removable(top)
    shutil.rmtree(top)


def differing(one: Picture, other: Picture) -> list[str]:
    """Return the paths that are not the same in both."""
    return sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))


def as_nobody(work: Callable[[], None]) -> None:
    """Do something without the rights of root, in a process of its own when root runs the tests."""
    if os.getuid() != 0:
        work()
        return
    reader, writer = os.pipe()
    child = fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            work()
        except BaseException as error:  # noqa: BLE001
            os.write(writer, f"{type(error).__name__}: {error}".encode()[:60000])
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as told:
        complaint = told.read()
    os.waitpid(child, 0)
    assert not complaint, complaint

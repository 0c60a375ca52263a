"""Places that the user or the machine named, looked at by their path: symlinks are followed.

Nothing of a run, and nothing that a stage can reach, is looked at this way: between a look and
what follows it anybody may put something else there. What is asked here is where the user's own
tools, folders and settings are.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from custody.errors import PathRefused
from custody.store.os_errors import failure


class FileSystem(msgspec.Struct, frozen=True):
    """A file system as it is mounted somewhere."""

    device: int
    flags: int
    """As `os.statvfs` tells them: read-only, nothing to be run …"""


class Looked(NamedTuple):
    """What is known of a folder."""

    real: str
    """Where it really is."""
    links: list[tuple[str, str]]
    """As `links_in` tells them."""
    there: list[str]
    """Those of the paths asked for that lead to anything."""


def is_there(path: str) -> bool:
    """Whether a path leads to anything."""
    return _mode(path) != 0


def is_folder(path: str) -> bool:
    """Whether a path leads to a folder."""
    return stat.S_ISDIR(_mode(path))


def may_enter(path: str) -> bool:
    """Whether this process may go through a folder."""
    return os.access(path, os.X_OK)


def require_utf8(path: str) -> None:
    """Raise `PathRefused` for a path that records could not hold, of which a folder is no UTF-8."""
    told = os.fsencode(path).decode(errors="backslashreplace")
    if told != path:
        hint = "rename that folder, or work in another"
        raise PathRefused("surrogate", "the path is not UTF-8", where=told, hint=hint)


def nearest_folder(path: str) -> str:
    """Return the folder that a path leads to, or the nearest one above it that is there."""
    place = os.path.abspath(path)
    while not is_folder(place) and place != os.path.dirname(place):
        place = os.path.dirname(place)
    return place


def is_file(path: str) -> bool:
    """Whether a path leads to a file; a pipe or a device is none."""
    return stat.S_ISREG(_mode(path))


def is_program(path: str) -> bool:
    """Whether a path leads to a file that this process may run."""
    return is_file(path) and os.access(path, os.X_OK)


def identity(path: str) -> tuple[int, int] | None:
    """Return device and inode, by which a place is known whatever path leads to it."""
    try:
        state = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise failure(error, path, reading=True) from error
    return state.st_dev, state.st_ino


def file_system(folder: str) -> FileSystem:
    """Return what a folder lies on; raises `PathRefused` where there is none."""
    try:
        return FileSystem(os.stat(folder).st_dev, os.statvfs(folder).f_flag)
    except OSError as error:
        raise failure(error, folder, reading=True) from error


def lies_in(path: str, folder: str) -> bool:
    """Whether a path, there or not, is a folder or leads into it."""
    above = os.path.realpath(folder)
    return os.path.commonpath((os.path.realpath(path), above)) == above


def real_path(path: str) -> str:
    """Return where a path leads to, as the kernel says; raises `OSError` when that is nowhere."""
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


def those_there(paths: Iterable[str]) -> list[str]:
    """Return those of some paths that lead to anything."""
    return [path for path in paths if is_there(path)]


def leads_to(path: str) -> str:
    """Return where a path leads to; itself when that is nowhere."""
    try:
        return real_path(path)
    except (OSError, ValueError):
        return path


def each_leads_to(paths: Iterable[str]) -> list[str]:
    """Return where each of some paths leads to."""
    return [leads_to(path) for path in paths]


def ends_of(paths: Iterable[str]) -> dict[str, str]:
    """Return where each of some paths leads to that is there."""
    return {path: leads_to(path) for path in those_there(paths)}


def look_into(folders: Mapping[str, Iterable[str]]) -> dict[str, Looked]:
    """Return of each folder what is known of it, and which of the paths given for it are there."""
    return {
        folder: Looked(leads_to(folder), links_in(folder), those_there(wanted))
        for folder, wanted in folders.items()
    }


def links_in(folder: str, only: str = "") -> list[tuple[str, str]]:
    """Return for each link to a program in a folder, or the one named, what it says and its end.

    Links to anything else are left out, to a folder too: whoever keeps one beside programs does not
    mean to run it. So are those that end in the same folder.
    """
    try:
        names = [only] if only else os.listdir(folder)
    except (OSError, ValueError):
        return []
    found = []
    for name in names:
        link = f"{folder}/{name}"
        try:
            said = os.path.normpath(os.path.join(folder, os.readlink(link)))
            found.append((said, real_path(link)))
        except (OSError, ValueError):
            continue
    return [pair for pair in found if os.path.dirname(pair[1]) != folder and _can_run(pair[1])]


def open_to_all(path: str, depth: int, among: tuple[str, ...] = ()) -> list[str]:
    """Return a path if everybody may read what is there, or nothing is; none if they may not.

    A folder is looked into as ``depth`` says. If something in it is not open to all, the rest of
    it is returned in its place, links only if they lead into one of the folders ``among``.
    """
    mode = _mode(path)
    needed = 0o005 if stat.S_ISDIR(mode) else 0o004
    if mode and mode & needed != needed:
        return []
    if not depth or not stat.S_ISDIR(mode):
        return [path]
    try:
        with os.scandir(path) as items:
            below = {item.path: item.is_symlink() for item in items}
    except OSError:
        return []
    own = sorted(each for each, is_link in below.items() if not is_link)
    found = [part for each in own for part in open_to_all(each, depth - 1, among)]
    if found == own:
        return [path]
    links = (each for each, is_link in below.items() if is_link and is_there(each))
    led = [each for each in links if any(lies_in(each, folder) for folder in among)]
    return sorted([*found, *(part for each in led for part in open_to_all(each, 0))])


def first_bytes(path: str, limit: int) -> bytes:
    """Return what a file begins with; nothing where there is none to read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, limit)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def make_folder(path: str) -> None:
    """Make a folder, and those above it, where they are missing."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise failure(error, path) from error


def _can_run(path: str) -> bool:
    """Whether a file is one that somebody may run."""
    mode = _mode(path)
    return stat.S_ISREG(mode) and bool(mode & 0o111)


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError):
        return 0


def user_data(environment: Mapping[str, str]) -> str:
    """Return the folder where custody keeps data of the user's that belong to no project."""
    base = environment.get("XDG_DATA_HOME", "")
    if not base.startswith("/"):
        home = environment.get("HOME") or os.path.expanduser("~")
        base = os.path.join(home, ".local", "share")
    return os.path.join(base, "custody")

"""Looks at a workspace: what stands there, and what is no longer as it was.

Nothing in a workspace is believed, neither an index of git's nor the times that a program can
set. The rules are:

- A file is read again when its size, times, inode or mode are not those of the last look. The
  change time is among them: no program can set it, so an edit that restores the rest shows.
- A file whose change time is so near to the last look that a later write could bear the same
  one is read again as well.
- Files are opened without following symlinks or crossing mounts, and the bytes that are hashed
  are the bytes that are kept, all of one version.
- What cannot be kept is an entry of the kind ``other`` with its reason: a pipe, a file that
  cannot be read or never holds still, one with a second name outside the workspace, a name
  that is not UTF-8. Looking itself does not fail because of anything a program left behind.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from custody.errors import PathRefused
from custody.model.change import Entry
from custody.store.change_time import is_young
from custody.store.os_errors import failure
from custody.store.root import Root
from custody.workspace.contents import Contents

_NEVER = -1
_TOP = Entry(path="", kind="dir", mode=0)
"""The workspace itself, which no diff tells of."""
ATTEMPTS = 3
"""How often a file is read that changes meanwhile."""
LONGEST = 4095
"""Bytes of a path that the kernel takes."""


class Seen(msgspec.Struct, frozen=True, gc=False):
    """What one name was at the last look."""

    entry: Entry
    is_folder: bool
    changed: int
    """Change time; never equal to any when the file must be read again."""
    modified: int
    size: int
    inode: int
    mode: int


class FileState(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What is remembered of `os.stat`, as another process tells it."""

    st_mode: int
    st_ino: int
    st_size: int
    st_mtime_ns: int
    st_ctime_ns: int


class Update(NamedTuple):
    """What one name turned out to be."""

    folder: str
    name: str
    seen: Seen | None
    """None when it is gone."""


def seen_as(entry: Entry, state: os.stat_result | FileState, looked: int) -> Seen:
    """Return what is remembered of a look that began at ``looked``.

    A folder is never read: its names are compared whatever its times say.
    """
    changed = state.st_ctime_ns
    is_folder = entry.kind == "dir"
    return Seen(
        entry,
        is_folder,
        changed if is_folder or not is_young(changed, looked) else _NEVER,
        state.st_mtime_ns,
        state.st_size,
        state.st_ino,
        state.st_mode,
    )


def folder_seen(entry: Entry, made: int) -> Seen:
    """Return what is remembered of a folder that was ``made`` then, and not looked at since."""
    return Seen(entry, is_folder=True, changed=_NEVER, modified=made, size=0, inode=0, mode=0)


def path_of(folder: str, name: str) -> str:
    """Join a folder of the workspace, or its root, and a name."""
    return f"{folder}/{name}" if folder else name


class Scanner:
    """Remembers a workspace and finds what has changed since."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._folders: dict[str, dict[str, Seen]] = {"": {}}
        self._top: Seen | None = None
        self._touched: dict[str, Seen | None] = {}
        self._refilled: set[str] = set()
        """Folders in which something has changed."""
        self._lesson: Callable[[], Iterable[tuple[str, Seen]]] = tuple

    def learn(self, lesson: Callable[[], Iterable[tuple[str, Seen]]]) -> None:
        """Take what a lesson tells as looked at; it is not asked for before somebody looks.

        A run whose stages have layers never does, unless it is resumed.
        """
        self._lesson = lesson

    def _study(self) -> None:
        lesson, self._lesson = self._lesson, tuple
        for path, seen in lesson():
            self.remember(path, seen)

    def entry(self, path: str) -> Entry | None:
        """Return what stood at ``path`` at the last look."""
        seen = self._seen(path)
        return seen.entry if seen else None

    def _seen(self, path: str) -> Seen | None:
        self._study()
        if not path:
            return self._top
        folder, _, name = path.rpartition("/")
        return self._folders.get(folder, {}).get(name)

    def remember(self, path: str, seen: Seen) -> None:
        """Take something as looked at."""
        folder, _, name = path.rpartition("/")
        self._folders.setdefault(folder, {})[name] = seen

    def touched(self) -> list[tuple[str, Seen | None, Seen]]:
        """Return, once, what was looked at more closely: its path, what it was before, and now.

        Something may have been changed about it that makes no difference to its entry. A folder
        in which anything has changed was nothing before: it has no times to go back to.
        """
        touched, self._touched = self._touched, {}
        refilled, self._refilled = self._refilled, set()
        before = ((path, None if path in refilled else old) for path, old in touched.items())
        now = ((path, old, self._seen(path)) for path, old in before)
        return [(path, old, new) for path, old, new in now if new is not None]

    def put_back(self, path: str, modified: int) -> None:
        """Take note that something was given the time again that it had before the last look."""
        seen = self._seen(path)
        if seen is None:
            return
        then = msgspec.structs.replace(seen, modified=modified, changed=_NEVER)
        if path:
            self.remember(path, then)
        else:
            self._top = then

    def look_at_top(self, root: Root) -> None:
        """Look at the workspace itself, which has the empty path; `look` does it too."""
        if self._top is not None:
            self._touched.setdefault("", self._top)
        self._top = seen_as(_TOP, os.fstat(root.fd), 0)

    def look(self, root: Root) -> set[str]:
        """Look at everything; return the paths that are not as they were.

        Raises `StorageFailed` when the disk does; then the last look stands.
        """
        self._study()
        look = Look(root, self._folders, self._contents)
        updates = look.updates()
        self.look_at_top(root)
        return self._apply(updates)

    def _apply(self, updates: list[Update]) -> set[str]:
        changed: set[str] = set()
        for folder, name, seen in updates:
            path = path_of(folder, name)
            names = self._folders.setdefault(folder, {})
            old = names.pop(name, None)
            if seen is not None:
                names[name] = seen
                self._touched.setdefault(path, old)
            if old is not None and old.is_folder and not (seen and seen.is_folder):
                changed.update(self._forget(path))
            if (old and old.entry) != (seen and seen.entry):
                changed.add(path)
                self._refilled.add(folder)
        return changed

    def _forget(self, folder: str) -> set[str]:
        """Drop everything below a folder; return the paths."""
        dropped: set[str] = set()
        waiting = [folder]
        while waiting:
            current = waiting.pop()
            for name, seen in self._folders.pop(current, {}).items():
                path = path_of(current, name)
                dropped.add(path)
                if seen.is_folder:
                    waiting.append(path)
        return dropped


class Look:
    """One look at a whole workspace."""

    def __init__(self, root: Root, folders: dict[str, dict[str, Seen]], contents: Contents) -> None:
        self._root = root
        self._folders = folders
        self._contents = contents
        self._updates: list[Update] = []
        self._shared: dict[tuple[int, int], list[Update]] = {}
        """Files with more than one name, by inode and number of names."""
        self._waiting = [""]
        # One time for all: the names of one file must be looked at again together.
        self._looked = time.time_ns()

    def updates(self) -> list[Update]:
        """Return everything that may differ, in an order that can be applied."""
        while self._waiting:
            self._look_into(self._waiting.pop())
        self._refuse_names_outside()
        return self._updates

    def _look_into(self, folder: str) -> None:
        try:
            descriptor = self._root.open_dir(folder)
        except PathRefused as refused:
            if not folder:
                raise
            self._note_refused(folder, refused)
            return
        known = self._folders.get(folder, {})
        try:
            fresh, same = self._compare(descriptor, folder, known)
            if same + sum(name in known for name, _ in fresh) != len(known):
                gone = known.keys() - set(os.listdir(descriptor))
                self._updates.extend(Update(folder, name, None) for name in gone)
            for name, state in fresh:
                try:
                    self._observe(descriptor, folder, name, state)
                except FileNotFoundError:
                    self._updates.append(Update(folder, name, None))
        except PermissionError:
            self._note_refused(folder, PathRefused("unreadable", "its names cannot be looked at"))
        except OSError as error:
            raise failure(error, f"{self._root.path}/{folder}", reading=True) from error
        finally:
            os.close(descriptor)

    def _compare(
        self, descriptor: int, folder: str, known: dict[str, Seen]
    ) -> tuple[list[tuple[str, os.stat_result]], int]:
        """Return what may have changed in a folder, and how many names have not.

        This is the only loop that goes over every file, so it does nothing else.
        """
        fresh: list[tuple[str, os.stat_result]] = []
        same = 0
        with os.scandir(descriptor) as items:
            for item in items:
                try:
                    state = item.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                seen = known.get(item.name)
                if (
                    seen is not None
                    and seen.changed == state.st_ctime_ns
                    and seen.modified == state.st_mtime_ns
                    and seen.size == state.st_size
                    and seen.inode == state.st_ino
                    and seen.mode == state.st_mode
                ):
                    same += 1
                    if seen.is_folder:
                        self._waiting.append(path_of(folder, item.name))
                else:
                    fresh.append((item.name, state))
        return fresh, same

    def _observe(self, descriptor: int, folder: str, name: str, state: os.stat_result) -> None:
        """Find out what a name is now."""
        path = path_of(folder, name)
        if not is_utf8(name):
            entry = other_entry(shown(path), state, "surrogate")
        elif stat.S_ISREG(state.st_mode):
            self._observe_file(folder, name)
            return
        elif stat.S_ISDIR(state.st_mode):
            entry = Entry(path=path, kind="dir", mode=stat.S_IMODE(state.st_mode))
            self._waiting.append(path)
        elif stat.S_ISLNK(state.st_mode):
            entry = link_entry(path, os.readlink(name, dir_fd=descriptor), state)
        else:
            entry = other_entry(path, state, "not_regular")
        self._updates.append(Update(folder, name, seen_as(entry, state, self._looked)))

    def _observe_file(self, folder: str, name: str) -> None:
        path = path_of(folder, name)
        try:
            state, sha256 = self._read(path)
        except PathRefused as refused:
            self._note_refused(path, refused)
            return
        entry = Entry(
            path=path,
            kind="file",
            mode=stat.S_IMODE(state.st_mode),
            sha256=sha256,
            bytes=state.st_size,
        )
        update = Update(folder, name, seen_as(entry, state, self._looked))
        self._updates.append(update)
        if state.st_nlink > 1:
            self._shared.setdefault((state.st_ino, state.st_nlink), []).append(update)

    def _read(self, path: str) -> tuple[os.stat_result, str]:
        """Keep a file, with some patience for one that is being written."""
        for _ in range(ATTEMPTS - 1):
            try:
                return self._contents.keep_file(self._root, path)
            except PathRefused as refused:
                if refused.code != "changed_during_read":
                    raise
        return self._contents.keep_file(self._root, path)

    def _note_refused(self, path: str, refused: PathRefused) -> None:
        """Note something that could not be opened or kept, or is gone already."""
        folder, _, name = path.rpartition("/")
        try:
            state = self._root.stat(path)
        except PathRefused:
            self._updates.append(Update(folder, name, None))
            return
        entry = other_entry(path, state, refused.code)
        self._updates.append(Update(folder, name, seen_as(entry, state, 0)))

    def _refuse_names_outside(self) -> None:
        """Refuse files that have more names than the workspace holds.

        All names of a file share its change time, so they are looked at again together.
        """
        for (_, names), updates in self._shared.items():
            if len(updates) == names:
                continue
            for update in updates:
                if update.seen is not None:
                    entry = msgspec.structs.replace(
                        update.seen.entry, kind="other", reason="hardlink"
                    )
                    seen = msgspec.structs.replace(update.seen, entry=entry)
                    self._updates.append(update._replace(seen=seen))


def link_entry(path: str, target: str, state: os.stat_result) -> Entry:
    """Return the entry of a symlink."""
    if not is_utf8(target):
        return other_entry(path, state, "surrogate")
    data = target.encode()
    return Entry(
        path=path,
        kind="symlink",
        mode=stat.S_IMODE(state.st_mode),
        sha256=hashlib.sha256(data).hexdigest(),
        bytes=len(data),
        target=target,
    )


def other_entry(path: str, state: os.stat_result, reason: str) -> Entry:
    """Return the entry of something that cannot be kept."""
    return Entry(path=path, kind="other", mode=stat.S_IMODE(state.st_mode), reason=reason)


def is_utf8(name: str) -> bool:
    """Whether a name can be told in a document."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(path: str) -> str:
    """Return a name that is not UTF-8 with its odd bytes written out."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")

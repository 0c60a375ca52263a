"""What may be on a disk when the power fails.

A run is recorded once. Of the names, those that no directory sync covers may be lost from any
moment on, in each directory by itself or in all at once; of every file only what was synced is
sure to be there, and the rest is there, cut short, or zeros.
"""

from __future__ import annotations

import fcntl
import os
import random
import stat
import threading
from collections.abc import Callable
from typing import Any

from custody.store import syscalls
from support.small_run import CALLS, SYSTEM_CALLS, creates

Log = list[tuple[Any, ...]]


class Recorder:
    """Notes every change of the disk, in the order in which it was made.

    One thread at a time: a folder would be another one for whoever writes into it before the
    thread that has made it could note so.
    """

    def __init__(self, folder: str) -> None:
        self.log: Log = []
        self._lock = threading.RLock()
        self._ids: dict[tuple[int, int], int] = {}
        self._os = {name: getattr(os, name) for name in (*CALLS, "stat", "fstat", "lseek")}
        self._system = {name: getattr(syscalls, name) for name in SYSTEM_CALLS}
        self.top = self._id(os.stat(folder))
        for name in CALLS:
            setattr(os, name, self._alone(getattr(self, f"_{name}")))
        syscalls.syncfs = self._alone(self._syncfs)
        syscalls._renameat2 = self._alone(self._renameat2)

    def stop(self) -> None:
        for name in CALLS:
            setattr(os, name, self._os[name])
        for name in SYSTEM_CALLS:
            setattr(syscalls, name, self._system[name])

    def _alone(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any, **named: Any) -> Any:
            with self._lock:
                return act(*given, **named)

        return noted

    def _id(self, state: os.stat_result, *, new: bool = False) -> int:
        key = state.st_dev, state.st_ino
        if new or key not in self._ids:
            self._ids[key] = len(self.log) + len(self._ids) + 1000
        return self._ids[key]

    def _of(self, descriptor: int) -> int:
        return self._id(os.fstat(descriptor))

    def _place(self, path: str, directory: int | None) -> tuple[int, str]:
        """Return the directory and the name that a path means."""
        folder, _, name = path.rpartition("/")
        if directory is not None and not folder:
            return self._of(directory), name
        return self._id(os.stat(folder, dir_fd=directory)), name

    def _open(self, path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        there = path != "." and os.access(path, os.F_OK, dir_fd=dir_fd, follow_symlinks=False)
        descriptor: int = self._os["open"](path, flags, mode, dir_fd=dir_fd)
        if creates(flags) and not there:
            made = self._id(os.fstat(descriptor), new=True)
            if path != ".":
                self.log.append(("name", *self._place(path, dir_fd), made, "file"))
        return descriptor

    def _write(self, descriptor: int, data: bytes) -> int:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
            whence = os.SEEK_END if flags & os.O_APPEND else os.SEEK_CUR
            at = os.lseek(descriptor, 0, whence)
            self.log.append(("data", self._of(descriptor), at, bytes(data)))
        written: int = self._os["write"](descriptor, data)
        return written

    def _fsync(self, descriptor: int) -> None:
        self._os["fsync"](descriptor)
        self.log.append(("sync", self._of(descriptor)))

    def _fdatasync(self, descriptor: int) -> None:
        self._fsync(descriptor)

    def _syncfs(self, descriptor: int) -> None:
        self._system["syncfs"](descriptor)
        self.log.append(("sync", None))

    def _rename(self, source: str, target: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        self._os["rename"](source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        there, here = self._place(target, dst_dir_fd), self._place(source, src_dir_fd)
        self.log.append(("move", *there, *here))

    def _renameat2(self, directory: int, source: str, target: str, flags: int) -> None:
        self._system["_renameat2"](directory, source, target, flags)
        kind = "swap" if flags == 2 else "move"
        self.log.append((kind, self._of(directory), target, self._of(directory), source))

    def _link(
        self,
        source: str,
        name: str,
        *,
        src_dir_fd: int | None = None,
        dst_dir_fd: int,
        follow_symlinks: bool,
    ) -> None:
        if src_dir_fd is None:
            made = self._of(int(source.rpartition("/")[2]))
            self._os["link"](source, name, dst_dir_fd=dst_dir_fd, follow_symlinks=follow_symlinks)
        else:
            made = self._id(os.stat(source, dir_fd=src_dir_fd))
            self._os["link"](
                source,
                name,
                src_dir_fd=src_dir_fd,
                dst_dir_fd=dst_dir_fd,
                follow_symlinks=follow_symlinks,
            )
        self.log.append(("name", *self._place(name, dst_dir_fd), made, "file"))

    def _unlink(self, name: str, *, dir_fd: int) -> None:
        place = self._place(name, dir_fd)
        self._os["unlink"](name, dir_fd=dir_fd)
        self.log.append(("drop", *place))

    def _mkdir(self, path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        self._os["mkdir"](path, mode, dir_fd=dir_fd)
        made = self._id(os.stat(path, dir_fd=dir_fd), new=True)
        self.log.append(("name", *self._place(path, dir_fd), made, "dir"))

    def _ftruncate(self, *_: int) -> None:
        raise AssertionError("a run that goes well truncates nothing")


def survive(log: Log, top: int, chance: random.Random, place: str) -> None:
    """Make at ``place`` what may be on the disk when the power fails after ``log``."""
    names = surviving_names(log, chance)
    folders: dict[int, dict[str, int]] = {top: {}}
    for op in (log[index] for index in names):
        entries = folders.setdefault(op[1], {})
        if op[0] == "name":
            entries[op[2]] = op[3]
            if op[4] == "dir":
                folders.setdefault(op[3], {})
        elif op[0] == "drop":
            entries.pop(op[2], None)
        elif (moved := folders.setdefault(op[3], {}).pop(op[4], None)) is not None:
            if op[0] == "swap":
                folders[op[3]][op[4]] = entries[op[2]]
            entries[op[2]] = moved
    waiting = [(top, place)]
    while waiting:
        folder, path = waiting.pop()
        os.mkdir(path)
        for name, item in folders[folder].items():
            if item in folders:
                waiting.append((item, f"{path}/{name}"))
            else:
                with open(f"{path}/{name}", "wb") as file:
                    file.write(surviving_data(log, item, chance))


def surviving_names(log: Log, chance: random.Random) -> list[int]:
    """Return which changes of names are kept: in each directory, or in all, those up to some."""
    changes = [index for index, op in enumerate(log) if op[0] in {"name", "move", "drop", "swap"}]
    last: dict[int | None, int] = {}
    for index, op in enumerate(log):
        if op[0] == "sync":
            last[op[1]] = index
    everywhere = last.get(None, -1)
    if chance.random() < 0.5:
        sure = max([everywhere, *(i for i in changes if i < last.get(log[i][1], -1))], default=-1)
        limit = pick(sure, len(log), chance)
        return [index for index in changes if index <= limit]
    limits = {
        folder: pick(max(everywhere, last.get(folder, -1)), len(log), chance)
        for folder in {log[index][1] for index in changes}
    }
    return [index for index in changes if index <= limits[log[index][1]]]


def pick(least: int, most: int, chance: random.Random) -> int:
    """Return a number between the two, and often one of them."""
    return chance.choice((least, most, chance.randint(least, most)))


def surviving_data(log: Log, item: int, chance: random.Random) -> bytes:
    """Return what is left of a file: all that was synced, and the rest as chance will have it."""
    data = bytearray()
    pending: list[tuple[int, bytes]] = []
    for op in log:
        if op[0] == "data" and op[1] == item:
            pending.append(op[2:])
        elif op[0] == "sync" and op[1] in {item, None}:
            for at, piece in pending:
                data[at : at + len(piece)] = piece
            pending.clear()
    size = max((at + len(piece) for at, piece in pending), default=len(data))
    for at, piece in pending[: pick(0, len(pending), chance)]:
        kept = piece[: pick(0, len(piece), chance)]
        data[at : at + len(kept)] = kept
        if len(kept) < len(piece):
            break
    if chance.random() < 0.3:
        data.extend(bytes(size - len(data)))
    return bytes(data)

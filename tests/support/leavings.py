"""What attempts leave on the machine for whoever comes next, found and cleared away."""

from __future__ import annotations

import ctypes
import os
import pwd
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from custody.sandbox import kernel

_libc = ctypes.CDLL(None, use_errno=True)
_REMOVE = 0
_USER_KEYRING, _SEARCH, _UNLINK = -4, 10, 9
_MORE = "+"
"""What a process adds to its name that holds something for the others."""
_PATIENCE = 10.0
"""Seconds that what was killed has to be gone; only what got away makes anybody wait for them."""


class Leavings:
    """Everything that goes by one mark."""

    def __init__(self, home: Path) -> None:
        self._mark = f"left-{os.getpid()}"
        self._number = 7_000_000 + os.getpid()
        own = Path(pwd.getpwuid(os.getuid()).pw_dir)
        self._folders = (*map(Path, ("/tmp", "/var/tmp", "/dev/shm", "/run", "/var")), home, own)

    @property
    def aims(self) -> dict[str, Any]:
        """What the driver needs to know."""
        return {"mark": self._mark, "number": self._number}

    def is_alive(self) -> bool:
        """Whether a process of that name runs on, wherever it hides, after a while."""
        deadline = time.monotonic() + _PATIENCE
        while any(name == self._mark for _, name in self._processes()):
            if time.monotonic() > deadline:
                return True
            time.sleep(0.02)
        return False

    def is_in(self, folder: str) -> bool:
        """Whether a file of that name was left in a folder."""
        return os.path.lexists(f"{folder}/{self._mark}")

    def clear(self) -> None:
        """Leave nothing of it."""
        for process, _ in self._processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        for folder in self._folders:
            with suppress(OSError):
                (folder / self._mark).unlink()
        _libc.shmctl(_libc.shmget(self._number, 0, 0), _REMOVE, None)
        _libc.semctl(_libc.semget(self._number, 0, 0), 0, _REMOVE)
        _libc.msgctl(_libc.msgget(self._number, 0), _REMOVE, None)
        _libc.mq_unlink(f"/{self._mark}".encode())
        with suppress(OSError):
            key = kernel.call("keyctl", _SEARCH, _USER_KEYRING, b"user", self._mark.encode(), 0)
            kernel.call("keyctl", _UNLINK, key, _USER_KEYRING)

    def _processes(self) -> Iterator[tuple[int, str]]:
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                name = Path(f"/proc/{number}/comm").read_text().strip()
            except OSError:
                continue  # it has ended meanwhile
            if name.rstrip(_MORE) == self._mark:
                yield int(number), name

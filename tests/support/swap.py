"""A folder and a link to the outside that change places all the time, and who falls for it."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from custody.errors import CustodyError

SECRET = "kept outside 7f3a"
ONLY_OUTSIDE = "outside-only"

_SWAPPER = """
import ctypes, sys
exchange = ctypes.CDLL(None).renameat2
ctypes.CDLL(None).prctl(1, 9)  # die with whoever started it
words = [word.encode() for word in sys.argv[1:]]
pairs = list(zip(words[::2], words[1::2]))
print("ready", flush=True)
while True:
    for here, there in pairs:
        exchange(-100, here, -100, there, 2)
"""


@contextmanager
def swapping(*pairs: tuple[Path, Path]) -> Iterator[None]:
    """Let another process exchange the two names of each pair as fast as it can."""
    words = [str(path) for pair in pairs for path in pair]
    swapper = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _SWAPPER, *words], stdout=subprocess.PIPE, text=True
    )
    assert swapper.stdout is not None
    try:
        assert swapper.stdout.readline() == "ready\n"
        yield
    finally:
        swapper.kill()
        swapper.wait()
        swapper.stdout.close()


def realpath_then_open(directory: int, path: str, flags: int, mode: int) -> int:
    """Resolve as it is often done: look where the path leads, and open it if that is inside."""
    folder = os.readlink(f"/proc/self/fd/{directory}")
    if not os.path.realpath(f"{folder}/{path}").startswith(f"{folder}/"):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return os.open(f"{folder}/{path}", flags, mode)


class Outside:
    """What must neither be changed nor seen."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lay_out()

    def _lay_out(self) -> None:
        (self.folder / "sub").mkdir(parents=True)
        for name in ("secret", ONLY_OUTSIDE, "gone", "sub/x"):
            (self.folder / name).write_text(SECRET)
        (self.folder / "text").symlink_to(SECRET)
        inode = (self.folder / "secret").stat().st_ino
        digest = hashlib.sha256(SECRET.encode()).hexdigest()
        self._marks = (SECRET, ONLY_OUTSIDE, digest, f"inode {inode}")
        self._state = self._look()

    def reached(self, result: object) -> bool:
        """Whether something was changed, or is in ``result``; all is as it was afterwards."""
        if self._look() != self._state:
            shutil.rmtree(self.folder)
            self._lay_out()
            return True
        return any(mark in str(result) for mark in self._marks)

    def _look(self) -> list[tuple[str, int, int, int]]:
        names = [*os.listdir(self.folder), *(f"sub/{n}" for n in self._below())]
        states = [(name, os.lstat(f"{self.folder}/{name}")) for name in sorted(names)]
        return [(name, state.st_ino, state.st_mode, state.st_ctime_ns) for name, state in states]

    def _below(self) -> list[str]:
        return os.listdir(self.folder / "sub") if os.path.isdir(self.folder / "sub") else []


class Tally:
    """How often an act was done, refused, or went outside."""

    def __init__(self) -> None:
        self.done = self.refused = self.escaped = 0

    def __str__(self) -> str:
        tries = self.done + self.refused
        return f"{self.escaped} escapes of {tries} tries, {self.refused} refused"


def race(act: Callable[[], object], outside: Outside, *, seconds: float, patience: float) -> Tally:
    """Act for so many seconds, and on until both ways were taken or patience is at an end."""
    tally = Tally()
    begun = time.monotonic()
    while (passed := time.monotonic() - begun) < patience:
        if passed > seconds and tally.done and tally.refused:
            break
        tally.escaped += outside.reached(_once(act, tally))
    return tally


def race_until_escape(act: Callable[[], object], outside: Outside, *, patience: float) -> Tally:
    """Act until it goes wrong, or patience is at an end."""
    tally = Tally()
    begun = time.monotonic()
    while not tally.escaped and time.monotonic() - begun < patience:
        tally.escaped += outside.reached(_once(act, tally))
    return tally


def _once(act: Callable[[], object], tally: Tally) -> object:
    try:
        result = act()
    except CustodyError:
        tally.refused += 1
        return ""
    tally.done += 1
    return result

"""Programs run in fresh processes, and fresh folders for them to work in."""

from __future__ import annotations

import array
import contextlib
import fcntl
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

TIME_LIMIT = 280.0
"""Seconds after which one program is given up."""

CANDIDATES = 6
"""New folders among which the quickest is chosen."""
PROBES = 8
"""Files made in a folder to see how quick it is."""

_QUIET = {
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "OTEL_SDK_DISABLED": "true",
    "DO_NOT_TRACK": "1",
}
_GETFLAGS, _SETFLAGS, _TOPDIR = 0x80086601, 0x40086602, 0x00020000


class NotMeasured(Exception):
    """A figure could not be had; the message says why, and the table repeats it."""


class Ground:
    """The folder under which everything is measured, and its disk.

    Where files were deleted in the last minutes, ext4 without a journal steps over each of their
    inodes to make a new one, and a file costs twenty times as much to create. So that nobody pays
    for what another deleted, nothing is deleted before the end, the folder asks ext4 to spread
    its subfolders over the disk, and of several new ones the quickest is used.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._numbers = itertools.count()

    @classmethod
    @contextlib.contextmanager
    def below(cls, parent: str) -> Iterator[Ground]:
        """Make a folder in ``parent`` and remove it at the end."""
        os.makedirs(parent, exist_ok=True)
        path = tempfile.mkdtemp(prefix="bench.", dir=os.path.abspath(parent))
        _spread(path)
        try:
            yield cls(path)
        finally:
            shutil.rmtree(path)

    def fresh(self) -> str:
        """Return a new empty folder; what was written before is on disk by then."""
        os.sync()
        paths = [os.path.join(self.path, f"{next(self._numbers):04}") for _ in range(CANDIDATES)]
        for path in paths:
            os.mkdir(path)
        return min(paths, key=_creation_time)


def run(argv: Sequence[str], *, cwd: str) -> dict[str, float]:
    """Run a program and return its figures, with ``wall`` from before its start to after its end.

    Raises `NotMeasured` when it fails, takes too long or is not there.
    """
    begin = time.perf_counter()
    told = output(argv, cwd=cwd)
    wall = time.perf_counter() - begin
    figures: dict[str, float] = _last_object(told)
    return {**figures, "wall": wall}


def tell(argv: Sequence[str], *, cwd: str) -> dict[str, dict[str, Any]]:
    """Run a program that prints figures by group and name, and return them.

    Raises `NotMeasured` as `run` does.
    """
    found: dict[str, dict[str, Any]] = _last_object(output(argv, cwd=cwd))
    return found


def output(argv: Sequence[str], *, cwd: str) -> str:
    """Run a program and return what it printed; raises `NotMeasured` as `run` does."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", **_QUIET}
    try:
        done = subprocess.run(
            argv,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotMeasured(str(error)) from error
    if done.returncode:
        last = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise NotMeasured(f"{os.path.basename(argv[0])}: {last}")
    return done.stdout


def _last_object(told: str) -> Any:
    """Return the JSON object of the last line, or nothing where a program prints other things."""
    lines = told.splitlines()
    return json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {}


def _creation_time(path: str) -> float:
    """Return how long it takes to make a few files in a folder, and leave it empty."""
    names = [os.path.join(path, str(number)) for number in range(PROBES)]
    begin = time.perf_counter()
    for name in names:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    seconds = time.perf_counter() - begin
    for name in names:
        os.unlink(name)
    return seconds


def _spread(path: str) -> None:
    """Set ext4's hint for the top of a hierarchy; other file systems have no need of it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        flags = array.array("L", [0])
        with contextlib.suppress(OSError):
            fcntl.ioctl(descriptor, _GETFLAGS, flags)
            flags[0] |= _TOPDIR
            fcntl.ioctl(descriptor, _SETFLAGS, flags)
    finally:
        os.close(descriptor)

"""Other ways to have a resident tool source a script: a loop that looks, typing at its prompt."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from benchmarks.contestants import HERE
from benchmarks.fresh import NotMeasured

LOOP = os.path.join(HERE, "scripts", "polling_loop.tcl")
PROMPT = "OpenSTA> "
PATIENCE = 30.0


@contextmanager
def polling_loop(
    argv: tuple[str, ...], folder: str, finished: int
) -> Iterator[tuple[Callable[[], None], int]]:
    """Yield what has an empty script sourced, and the tool's process; so many were before."""
    for name in ("queue", "ack"):
        os.makedirs(os.path.join(folder, name))
        for number in range(finished):
            _write(os.path.join(folder, name, f"a{number:05}.tcl"))
    number = 0

    def ask() -> None:
        nonlocal number
        number += 1
        name = f"b{number:05}.tcl"
        _write(os.path.join(folder, name))
        os.rename(os.path.join(folder, name), os.path.join(folder, "queue", name))
        until(lambda: os.path.exists(os.path.join(folder, "ack", name)))

    process = subprocess.Popen(
        [*argv, LOOP], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        until(lambda: os.path.exists(os.path.join(folder, "ready")))
        yield ask, process.pid
    finally:
        process.kill()
        process.wait()


@contextmanager
def prompt(
    argv: tuple[str, ...], folder: str, *, pause: bool
) -> Iterator[tuple[Callable[[], None], int]]:
    """Yield what types `source` at the tool's prompt and waits for the next one, by pexpect.

    As it comes, pexpect waits for 50 ms before each line that it types; ``pause`` leaves it that.
    """
    if importlib.util.find_spec("pexpect") is None:
        raise NotMeasured("pexpect is not installed")
    import pexpect

    script = os.path.join(folder, "empty.tcl")
    _write(script)
    child = pexpect.spawn(argv[0], list(argv[1:]), cwd=folder, timeout=PATIENCE, echo=False)
    if not pause:
        child.delaybeforesend = None
    try:
        child.expect_exact(PROMPT)

        def ask() -> None:
            child.sendline(f"source {script}")
            child.expect_exact(PROMPT)

        ask()
        yield ask, child.pid
    finally:
        child.close(force=True)


def until(done: Callable[[], bool]) -> None:
    """Wait for something, looking closely; raises `NotMeasured` when it does not come."""
    deadline = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > deadline:
            raise NotMeasured("the tool says nothing")
        time.sleep(0.0005)


def _write(path: str) -> None:
    with open(path, "w", encoding="ascii"):
        pass

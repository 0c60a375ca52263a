"""What a process just forked does to be one of its own, and what it must see to before it forks."""

from __future__ import annotations

import errno
import fcntl
import gc
import os
import signal
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from custody.sandbox.dumps import end_dumps
from custody.store.arguments import hide_arguments
from custody.supervise.spawn import IGNORED

_THREAD_PATIENCE = 5.0
"""Seconds after which a thread that does not end is given up."""


def wait_for_threads() -> None:
    """Wait until a thread that has started a program is gone, with the locks it may hold."""
    deadline = time.monotonic() + _THREAD_PATIENCE
    while len(os.listdir("/proc/self/task")) > 1:
        if time.monotonic() > deadline:
            raise OSError(errno.EBUSY, "a thread of the server does not end")
        time.sleep(0.0001)


def two_pipes() -> tuple[tuple[int, int], tuple[int, int]]:
    """Return two pipes, or none."""
    down = os.pipe()
    try:
        return down, os.pipe()
    except OSError:
        os.close(down[0])
        os.close(down[1])
        raise


def wake_on_child_exit() -> int:
    """Return a descriptor that becomes readable whenever a child ends."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    return reader


def let_go_of_everything_but(*descriptors: int) -> list[int]:
    """Become a process of its own; return the descriptors that stay, under new numbers."""
    gc.disable()  # what the runtime holds is not this process's to finalise
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.setsid()
    kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3) for descriptor in descriptors]
    close_all_but(kept)
    for _ in range(3):
        os.open(os.devnull, os.O_RDWR)
    end_dumps()  # one would be a change of the workspace, or a program's of the machine
    os.umask(0o022)
    os.chdir("/")
    hide_arguments()
    return kept


@contextmanager
def one_descriptor_free() -> Iterator[None]:
    """Do without standard input, which a server never reads: children are found by a descriptor."""
    os.close(0)
    try:
        yield
    finally:
        os.open(os.devnull, os.O_RDWR)  # takes the lowest number, which is 0 again


def close_all_but(kept: Collection[int]) -> None:
    """Close every other descriptor."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            _close(int(name))


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        return  # the one that the listing was read with

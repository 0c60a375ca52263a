"""Filters of system calls: judged as the kernel does, and processes that live under one."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from custody.sandbox import kernel, notices, seccomp
from custody.sandbox.confinement import Confinement
from support.forking import fork

ASKING = Confinement(level="L2", workspace="/ws")
"""Under it, a process asks for memory with a name."""

_NO_NEW_PRIVILEGES = 38


def judge(code: bytes, architecture: int, number: int, *arguments: int) -> int:
    """Run a filter on one call as the kernel does; return its verdict."""
    words = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<iIQ6Q", number, architecture, 0, *words)
    lines = list(struct.iter_unpack("<HBBI", code))
    at = value = 0
    while True:
        kind, yes, no, operand = lines[at]
        at += 1
        match kind:
            case 0x20:
                value = struct.unpack_from("<I", data, operand)[0]
            case 0x54:
                value &= operand
            case 0x05:
                at += operand
            case 0x15:
                at += yes if value == operand else no
            case 0x35:
                at += yes if value >= operand else no
            case 0x45:
                at += yes if value & operand else no
            case 0x06:
                return int(operand)


@contextmanager
def asker(work: Callable[[], None]) -> Iterator[tuple[int, int]]:
    """Do something in a process that asks; give the descriptor that it asks by, and the process."""
    ours, theirs = socket.socketpair()
    child = fork()
    if child == 0:
        try:
            kernel.prctl(_NO_NEW_PRIVILEGES, 1)
            socket.send_fds(theirs, [b"x"], [seccomp.restrict(ASKING)])
            work()
        finally:
            os._exit(99)
    with ours, theirs:
        _, (listener,), _, _ = socket.recv_fds(ours, 1, 1)
    notices.take_turns(listener)
    try:
        yield listener, child
    finally:
        os.close(listener)


def ended(child: int) -> int:
    """Wait for a process; return its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

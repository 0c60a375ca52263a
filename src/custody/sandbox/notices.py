"""Calls that a filter has the kernel ask about: what was asked, and the answers there are.

A process that has asked waits. It may be gone at any time, and its answer is then for nobody.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from typing import NamedTuple

from custody.sandbox import kernel

_RECEIVE, _SEND, _ADD_DESCRIPTOR, _SET_FLAGS = 0xC0502100, 0xC0182101, 0x40182103, 0x40082104
"""ioctl: SECCOMP_IOCTL_NOTIF_RECV, SEND, ADDFD and SET_FLAGS."""
_NOTICE = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_DESCRIPTOR = struct.Struct("=QIIII")
_AND_SEND = 2
_GO_ON = 1
_TAKE_TURNS = 1
_NAMES = {number: name for name, number in kernel.NUMBERS.get(kernel.MACHINE, {}).items()}


class Notice(NamedTuple):
    """One call that waits for an answer."""

    listener: int
    number: int
    """By which the kernel knows it."""
    process: int
    """The thread that makes it."""
    call: str
    """Its name, see `kernel.NUMBERS`."""
    arguments: tuple[int, ...]


def take_turns(listener: int) -> None:
    """Let asking and answering follow each other at once, where the kernel can (6.6)."""
    try:
        fcntl.ioctl(listener, _SET_FLAGS, _TAKE_TURNS)
    except OSError:
        return


def receive(listener: int) -> Notice | None:
    """Return what is asked; None if whoever asked is gone meanwhile."""
    data = bytearray(_NOTICE.size)
    try:
        fcntl.ioctl(listener, _RECEIVE, data)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.EINTR}:
            return None
        raise
    number, process, _, call, _, _, *arguments = _NOTICE.unpack(data)
    return Notice(listener, number, process, _NAMES[call], tuple(arguments))


def let_go_on(notice: Notice) -> None:
    """Let the kernel make the call, with whatever its arguments point to by then."""
    _send(notice, 0, _GO_ON)


def answer(notice: Notice) -> None:
    """Say that the call was made."""
    _send(notice, 0, 0)


def refuse(notice: Notice, code: int) -> None:
    """Say that the call has failed."""
    _send(notice, -code, 0)


def hand_over(notice: Notice, descriptor: int, *, close_on_exec: bool) -> None:
    """Answer with a copy of a descriptor; raises `OSError` when it cannot be taken."""
    flags = os.O_CLOEXEC if close_on_exec else 0
    told = _DESCRIPTOR.pack(notice.number, _AND_SEND, descriptor, 0, flags)
    fcntl.ioctl(notice.listener, _ADD_DESCRIPTOR, told)


def _send(notice: Notice, error: int, flags: int) -> None:
    try:
        fcntl.ioctl(notice.listener, _SEND, _ANSWER.pack(notice.number, 0, error, flags))
    except OSError as failed:
        if failed.errno != errno.ENOENT:
            raise

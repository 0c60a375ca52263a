"""Sockets for processes of an L2 proxy, made for them by the process server and tied to loopback.

Landlock knows ports and no addresses: a port that leads to a proxy here leads to some other server
elsewhere. So the filter has the kernel ask the process server for each TCP socket, which is tied
to the loopback device before it is handed over; only root of the machine could untie it.
"""

from __future__ import annotations

import _socket
import errno
import fcntl
import os
import select
import struct

_RECEIVE, _SEND, _ADD_DESCRIPTOR = 0xC0502100, 0xC0182101, 0x40182103
"""ioctl: SECCOMP_IOCTL_NOTIF_RECV, SEND and ADDFD."""
_NOTICE = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_DESCRIPTOR = struct.Struct("=QIIII")
_AND_SEND = 2
_LOOPBACK = b"lo"


class Askers:
    """The descriptors by which processes ask for sockets, served by whoever polls."""

    def __init__(self, poll: select.poll) -> None:
        self._poll = poll
        self._known: set[int] = set()

    def add(self, asker: int) -> None:
        """Serve one more, until no process is left that could ask."""
        self._known.add(asker)
        self._poll.register(asker, select.POLLIN)

    def serve(self, found: list[tuple[int, int]]) -> None:
        """Serve those of them that a poll has found."""
        for asker, events in found:
            if asker not in self._known:
                continue
            if events & select.POLLIN:
                make_socket(asker)
            else:
                self._known.remove(asker)
                self._poll.unregister(asker)
                os.close(asker)


def make_socket(listener: int) -> None:
    """Serve one process that asks for a socket; raises nothing if it is gone meanwhile."""
    notice = bytearray(_NOTICE.size)
    try:
        fcntl.ioctl(listener, _RECEIVE, notice)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.EINTR}:
            return
        raise
    name, _, _, _, _, _, family, kind, protocol, *_ = _NOTICE.unpack(notice)
    try:
        _hand_over(listener, name, family & 0xFFFFFFFF, kind & 0xFFFFFFFF, protocol & 0xFFFFFFFF)
    except OSError as error:
        _refuse(listener, name, error.errno or errno.EPERM)


def _hand_over(listener: int, name: int, family: int, kind: int, protocol: int) -> None:
    made = _socket.socket(family, kind | _socket.SOCK_CLOEXEC, protocol)
    try:
        made.setsockopt(_socket.SOL_SOCKET, _socket.SO_BINDTODEVICE, _LOOPBACK)
        flags = os.O_CLOEXEC if kind & _socket.SOCK_CLOEXEC else 0
        told = _DESCRIPTOR.pack(name, _AND_SEND, made.fileno(), 0, flags)
        fcntl.ioctl(listener, _ADD_DESCRIPTOR, told)
    finally:
        made.close()


def _refuse(listener: int, name: int, code: int) -> None:
    try:
        fcntl.ioctl(listener, _SEND, _ANSWER.pack(name, 0, -code, 0))
    except OSError as error:
        if error.errno != errno.ENOENT:
            raise

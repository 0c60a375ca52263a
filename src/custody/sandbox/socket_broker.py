"""Sockets for processes of an L2 proxy, made for them by the process server and tied to loopback.

Landlock knows ports and no addresses: a port that leads to a proxy here leads to some other server
elsewhere. So the filter has the kernel ask the process server for each TCP socket, which is tied
to the loopback device before it is handed over; only root of the machine could untie it.
"""

from __future__ import annotations

import _socket
import errno

from custody.sandbox import notices
from custody.sandbox.notices import Notice

_LOOPBACK = b"lo"


def make_socket(notice: Notice) -> None:
    """Serve one process that asks for a socket; raises nothing if it is gone meanwhile."""
    family, kind, protocol = (value & 0xFFFFFFFF for value in notice.arguments[:3])
    try:
        made = _socket.socket(family, kind | _socket.SOCK_CLOEXEC, protocol)
        try:
            made.setsockopt(_socket.SOL_SOCKET, _socket.SO_BINDTODEVICE, _LOOPBACK)
            close_on_exec = bool(kind & _socket.SOCK_CLOEXEC)
            notices.hand_over(notice, made.fileno(), close_on_exec=close_on_exec)
        finally:
            made.close()
    except OSError as error:
        notices.refuse(notice, error.errno or errno.EPERM)

"""Listeners of a proxy inside a network of its own: sockets made in there that are served out here.

A socket belongs to the network that it was made in, wherever it is handed to. The first process of
a sandbox opens the listeners while it still has the right to, hands them to the runtime and keeps
none; so nothing has to run inside for connections to be passed on.
"""

from __future__ import annotations

import _socket
import errno
import os
import struct

from custody.model.endpoint import parse_endpoint
from custody.sandbox.confinement import ProxyListener

PROXY_PORT = 3128
"""Where the proxy is found inside, unless a server of that port was named."""
MOST_LISTENERS = 200
"""Descriptors that the kernel takes in one message, less some."""

_BACKLOG = 128
_MISSING = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
_NUMBER = struct.calcsize("i")

Opened = list[tuple[int, int]]
"""Which listener, and its socket."""


def listeners_inside(reach: tuple[str, ...]) -> tuple[ProxyListener, ...]:
    """Return the listeners for servers: the proxy's first, and one for each address on loopback.

    Raises `ValueError` for what names no server.
    """
    servers = [parse_endpoint(text) for text in reach]
    straight = {
        (address, server.port): server.text
        for server in reversed(servers)
        for address in server.loopback
    }
    if len(straight) > MOST_LISTENERS:
        raise ValueError(f"more than {MOST_LISTENERS} servers on loopback")
    taken = {port for _, port in straight}
    proxy = next(port for port in range(PROXY_PORT, 1 << 16) if port not in taken)
    further = [
        ProxyListener(address=at[0], port=at[1], server=text) for at, text in straight.items()
    ]
    return (ProxyListener(address="127.0.0.1", port=proxy), *further)


def open_listeners(listeners: tuple[ProxyListener, ...]) -> Opened:
    """Listen at each listener; one of a protocol that the kernel lacks is left out."""
    opened: Opened = []
    for at, wanted in enumerate(listeners):
        family = _socket.AF_INET6 if ":" in wanted.address else _socket.AF_INET
        try:
            listener = _socket.socket(family, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
            listener.bind((wanted.address, wanted.port))
        except OSError as error:
            if family == _socket.AF_INET6 and error.errno in _MISSING:
                continue
            raise
        listener.listen(_BACKLOG)
        opened.append((at, listener.detach()))
    return opened


def hand_over(opened: Opened, handover: int) -> None:
    """Send the listeners to the runtime, and let go of them."""
    if not opened:
        return
    sockets = [listener for _, listener in opened]
    rights = struct.pack(f"{len(sockets)}i", *sockets)
    way = _socket.socket(fileno=os.dup(handover))
    try:
        way.sendmsg(
            [bytes(at for at, _ in opened)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)]
        )
    finally:
        way.close()
        for listener in sockets:
            os.close(listener)


def receive_listeners(handover: _socket.socket) -> Opened | None:
    """Take the listeners that have come, without waiting; None when nobody can send any more."""
    opened: Opened = []
    while True:
        try:
            which, rights, _, _ = handover.recvmsg(
                MOST_LISTENERS + 1,
                _socket.CMSG_SPACE((MOST_LISTENERS + 1) * _NUMBER),
                _socket.MSG_DONTWAIT | _socket.MSG_CMSG_CLOEXEC,
            )
        except BlockingIOError:
            return opened
        except ConnectionResetError:
            return opened or None  # it has ended before it took what was sent to it
        if not which:
            return opened or None
        for _, _, data in rights:
            count = len(data) // _NUMBER
            opened += zip(which, struct.unpack_from(f"{count}i", data), strict=True)

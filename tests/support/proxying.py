"""A client of the proxy."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from custody.egress.proxy import Proxy
from support.servers import read_head


@contextmanager
def client(proxy: Proxy) -> Iterator[socket.socket]:
    """Connect to the proxy."""
    where = proxy.listeners[0].address, proxy.listeners[0].port
    with socket.create_connection(where, timeout=20) as connection:
        yield connection


def everything(connection: socket.socket) -> bytes:
    """Read until the other side has said everything."""
    parts = []
    while data := connection.recv(1 << 16):
        parts.append(data)
    return b"".join(parts)


def ask(proxy: Proxy, request: str) -> bytes:
    """Send a request; return the whole answer."""
    with client(proxy) as connection:
        connection.sendall(request.encode())
        return everything(connection)


def connect(connection: socket.socket, name: str) -> bytes:
    """Ask for a tunnel; return the head of the answer."""
    connection.sendall(f"CONNECT {name} HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())
    return read_head(connection)

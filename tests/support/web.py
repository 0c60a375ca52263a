"""A server on this machine whose pages are said byte by byte, and what may be asked of it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from custody.egress.fetch import FetchPolicy
from support.servers import Server

Page = bytes | Callable[[socket.socket], None]
_TLS = b"\x16"
"""What a client of TLS begins with."""


class WebServer:
    """Answers each path with what was put there; remembers what it was asked."""

    def __init__(self) -> None:
        self.listening = Server(self._answer)
        self.port = self.listening.port
        self.server = self.listening.name
        self.pages: dict[str, Page] = {}
        self.heads: list[str] = []

    def url(self, path: str = "/") -> str:
        """Return the address of a page."""
        return f"http://{self.server}{path}"

    def put(self, path: str, body: str | bytes, kind: str = "text/html", **headers: str) -> str:
        """Put a page there; return its address."""
        data = body.encode() if isinstance(body, str) else body
        more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n{more}"
        self.pages[path] = f"{head}\r\n".encode() + data
        return self.url(path)

    def redirect(self, path: str, target: str, status: int = 302) -> str:
        """Send whoever asks for a page to another; return its address."""
        self.pages[path] = f"HTTP/1.1 {status} Moved\r\nLocation: {target}\r\n\r\n".encode()
        return self.url(path)

    def policy(self, **settings: Any) -> FetchPolicy:
        """Return what lets this server be asked."""
        here = (self.server,)
        policy = FetchPolicy(domains=here, plain_http=here, private=here, seconds=10.0)
        return policy._replace(**settings)

    def _answer(self, connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head and not head.startswith(_TLS):
            piece = connection.recv(1 << 16)
            if not piece:
                break
            head += piece
        self.heads.append(head.decode("latin-1"))
        path = (head.split(b" ")[1:2] or [b""])[0].decode("latin-1")
        missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        page = self.pages.get(path, self.pages.get(path.partition("?")[0], missing))
        if isinstance(page, bytes):
            connection.sendall(page)
        else:
            page(connection)


@contextmanager
def web_server() -> Iterator[WebServer]:
    """Serve while it is entered."""
    server = WebServer()
    with server.listening:
        yield server


def drip(head: bytes) -> Callable[[socket.socket], None]:
    """Return a page that sends a byte now and then, and never ends."""

    def send(connection: socket.socket) -> None:
        connection.sendall(head)
        for _ in range(600):
            connection.sendall(b"x")
            time.sleep(0.05)

    return send

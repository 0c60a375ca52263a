"""Servers on loopback for what connects to them, each connection in a thread of its own."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Self

Talk = Callable[[socket.socket], None]

# The kernel gives out ports above these by itself, to whoever asks for any.
_BY_NAME = range(10_000, 32_000)


def free_port() -> int:
    """Return a port on which nobody listens, for a program that is told its port."""
    while True:
        port = random.SystemRandom().choice(_BY_NAME)
        with socket.socket() as found, suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port


@contextmanager
def refusing_port() -> Iterator[int]:
    """Hold a port that refuses connections, and that nobody else can take meanwhile."""
    with socket.socket(socket.AF_INET6) as held:
        held.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        held.bind(("::", 0))
        yield held.getsockname()[1]


class Server:
    """Accepts connections until it is left, and counts them.

    Who asks ``localhost`` for the port of one at ::1 finds nobody else at 127.0.0.1.
    """

    def __init__(self, talk: Talk, host: str = "127.0.0.1") -> None:
        self._talk = talk
        self._listener, *self._held = _listen(host)
        self._connections: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept)
        self.count = 0
        self.port: int = self._listener.getsockname()[1]
        self.name = f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    def __enter__(self) -> Self:
        self._accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        for held in self._held:
            held.close()
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it has ended already
        for thread in self._threads:
            thread.join()
        for connection in self._connections:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()[0]
            except OSError:
                return
            self.count += 1
            self._connections.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            self._talk(connection)
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the other side is gone


def _listen(host: str) -> tuple[socket.socket, ...]:
    """Return what listens there, and what else it holds of its port."""
    if ":" not in host:
        return (socket.create_server((host, 0), backlog=128),)
    while True:
        listener = socket.create_server((host, 0), family=socket.AF_INET6, backlog=128)
        held = socket.socket()
        try:
            held.bind(("127.0.0.1", listener.getsockname()[1]))
        except OSError:
            listener.close()
            held.close()
        else:
            return listener, held


def read_head(connection: socket.socket) -> bytes:
    """Read up to an empty line, a byte at a time so that nothing after it is taken."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        data = connection.recv(1)
        if not data:
            break
        head += data
    return head


def hello(connection: socket.socket) -> None:
    """Answer one HTTP request with its own first line."""
    line = read_head(connection).partition(b"\r\n")[0]
    answer(connection, b"hello " + line)


def answer(connection: socket.socket, body: bytes) -> None:
    """Send an HTTP answer."""
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
    connection.sendall(head + body)


def echo(connection: socket.socket) -> None:
    """Send back whatever comes, until it ends."""
    while data := connection.recv(1 << 16):
        connection.sendall(data)


def count_bytes(connection: socket.socket) -> None:
    """Read everything, and only then say how much it was."""
    total = 0
    while data := connection.recv(1 << 16):
        total += len(data)
    connection.sendall(str(total).encode())


def proxy_to(port: int, head: bytes, asked: list[bytes]) -> Talk:
    """Return a proxy that notes what it is asked, answers ``head`` and leads to one port."""

    def talk(connection: socket.socket) -> None:
        asked.append(read_head(connection))
        connection.sendall(head)
        with socket.create_connection(("127.0.0.1", port)) as onward:
            back = threading.Thread(target=_copy, args=(onward, connection))
            back.start()
            _copy(connection, onward)
            back.join()

    return talk


def _copy(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return  # one of them is gone

"""Asks the system where servers are, without letting anybody else wait for its answer."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable

from custody.egress.connection import Address
from custody.model.endpoint import Endpoint

Answer = tuple[Endpoint, list[Address], str]
"""A server, its addresses, and why there are none."""


class Bell:
    """Wakes a thread that waits on descriptors; may be rung by anybody, and after its end."""

    def __init__(self) -> None:
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._lock = threading.Lock()

    def ring(self) -> None:
        """Make the descriptor readable."""
        with self._lock:
            if self.descriptor >= 0:
                os.eventfd_write(self.descriptor, 1)

    def hear(self) -> None:
        """Make it silent again."""
        os.eventfd_read(self.descriptor)

    def close(self) -> None:
        """Let go of the descriptor, whose number may soon be somebody else's."""
        with self._lock:
            os.close(self.descriptor)
            self.descriptor = -1


class Names:
    """Looks names up, each in a thread of its own: the system's resolver cannot be interrupted."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._asking: dict[Endpoint, threading.Thread] = {}
        self._answers: list[Answer] = []

    def ask(self, server: Endpoint) -> None:
        """Look a server up; the answer is waited for by nobody."""
        if server not in self._asking:
            thread = threading.Thread(target=self._resolve, args=(server,), daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                self._answers.append((server, [], str(error)))
                return
            self._asking[server] = thread

    def answers(self) -> list[Answer]:
        """Take the answers that have come."""
        taken = []
        while self._answers:
            taken.append(self._answers.pop())
            self._asking.pop(taken[-1][0], None)
        return taken

    def close(self, patience: float = 1.0) -> None:
        """Wait for questions still open; one that the system does not answer ends by itself."""
        deadline = time.monotonic() + patience
        for thread in self._asking.values():
            thread.join(max(0.0, deadline - time.monotonic()))

    def _resolve(self, server: Endpoint) -> None:
        try:
            self._answers.append((server, addresses(server), ""))
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else None
            self._answers.append((server, [], why or "the name means nothing"))
        self._wake()


def addresses(server: Endpoint) -> list[Address]:
    """Return where a server is; asks nobody about an address or this machine."""
    hosts = server.loopback or (server.host,)
    flags = socket.AI_NUMERICHOST if server.loopback or server.is_address else 0
    found = [
        Address(family, (str(where[0]), int(where[1])))
        for host in hosts
        for family, _, _, _, where in socket.getaddrinfo(
            host, server.port, type=socket.SOCK_STREAM, flags=flags
        )
    ]
    return list(dict.fromkeys(found))

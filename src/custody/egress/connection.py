"""One connection of a confined program, from its request to its end.

    asking -> naming -> connecting (-> tunnelling) -> open

``tunnelling`` is asking the proxy that the runtime goes through. Once open, bytes go both ways
unread. Each way ends by itself, so a program can say that it has sent everything and still be
answered; and no more than `FLOW_LIMIT` bytes wait on either.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence
from errno import EINPROGRESS
from selectors import EVENT_READ, EVENT_WRITE
from typing import Literal, NamedTuple, Protocol

from custody.egress.request import (
    END,
    HEAD_LIMIT,
    Malformed,
    ProxyRequest,
    is_granted,
    read_request,
    refusal,
)
from custody.egress.upstream import UnknownProxy, Upstream
from custody.model.endpoint import Endpoint

FLOW_LIMIT = 256 * 1024
PATIENCE = 30.0
"""Seconds in which a request must be complete, and a server reached."""
NEXT_ADDRESS = 5.0
"""Seconds after which another address of a server is tried."""

_CHUNK = 64 * 1024
_GRANTED = b"HTTP/1.1 200 Connection established" + END

_LINGER = 2.0

Stage = Literal["asking", "naming", "connecting", "tunnelling", "open", "refused", "closed"]


class Address(NamedTuple):
    """Where a server is, as the system says it."""

    family: int
    where: tuple[str, int]


class ConnectionHost(Protocol):
    """Who decides what may pass, and knows the way."""

    def admits(self, server: Endpoint) -> bool:
        """Tell whether a server is one that was named, and remember it if not."""
        ...

    def way_to(self, server: Endpoint, *, tunnel: bool) -> Upstream | None:
        """Return the proxy that stands before it; raises `UnknownProxy`."""
        ...

    def look_up(self, connection: Connection, server: Endpoint) -> None:
        """Have `Connection.found` or `Connection.fail` called, sooner or later."""
        ...

    def note_reached(self, server: Endpoint) -> None:
        """Remember that a connection to a server stands."""
        ...

    def note_passed(self, size: int) -> None:
        """Count bytes that have come to a connection that stands."""
        ...


class _Flow:
    """Bytes on their way from one socket to another."""

    def __init__(self) -> None:
        self.pending = bytearray()
        self.ended = False
        """Whether there is nothing more to come."""
        self.finished = False
        """Whether that has been passed on."""

    @property
    def takes(self) -> bool:
        return not self.ended and len(self.pending) < FLOW_LIMIT

    @property
    def gives(self) -> bool:
        return bool(self.pending) or (self.ended and not self.finished)

    def take(self, source: socket.socket) -> int:
        """Take what is there, and return how many bytes that was."""
        try:
            data = source.recv(_CHUNK)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""  # what came before the loss is still passed on
        self.pending += data
        self.ended = not data
        return len(data)

    def give(self, sink: socket.socket) -> None:
        try:
            if self.pending:
                del self.pending[: sink.send(self.pending)]
            if self.ended and not self.pending and not self.finished:
                self.finished = True
                sink.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            return
        except OSError:
            self.pending.clear()  # nobody is there to read it; the other way may go on
            self.ended = self.finished = True


class Connection:
    """A connection that was let in, and the one that is made for it outside."""

    def __init__(self, inner: socket.socket, porter: ConnectionHost) -> None:
        inner.settimeout(0)
        self.inner = inner
        self.outer: socket.socket | None = None
        self.stage: Stage = "asking"
        self.deadline = time.monotonic() + PATIENCE
        self._porter = porter
        self._up, self._down = _Flow(), _Flow()
        self._speaks_http = True
        self._held = bytearray()
        self._request: ProxyRequest | None = None
        self._upstream: Upstream | None = None
        self._addresses: list[Address] = []
        self._problem = "it has no address"

    @property
    def interest(self) -> dict[socket.socket, int]:
        """What has to happen to its sockets before there is something to do."""
        inner = EVENT_READ if self.stage in {"asking", "refused"} else 0
        outer = EVENT_WRITE if self.stage == "connecting" else 0
        if self.stage == "tunnelling":
            outer = EVENT_READ | (EVENT_WRITE if self._up.pending else 0)
        elif self.stage == "open":
            inner = (EVENT_READ if self._up.takes else 0) | (EVENT_WRITE if self._down.gives else 0)
            outer = (EVENT_READ if self._down.takes else 0) | (EVENT_WRITE if self._up.gives else 0)
        found = {self.inner: inner} if self.stage != "closed" else {}
        if self.outer is not None:
            found[self.outer] = outer
        return {end: events for end, events in found.items() if events}

    @property
    def has_passed_on(self) -> bool:
        """Whether nothing of what its program has sent is on its way, if the program is gone."""
        return self.stage in {"asking", "refused", "closed"} or self._up.finished

    def lead_to(self, server: Endpoint) -> None:
        """Lead straight to a server, whatever the program says."""
        self._speaks_http = False
        self._lead_to(ProxyRequest(server, tunnel=False, first=b""))

    def act(self, end: socket.socket, events: int) -> None:
        """Do what one of its sockets is ready for."""
        if self.stage == "asking":
            self._listen()
        elif self.stage == "connecting":
            self._connected()
        elif self.stage == "tunnelling":
            self._tunnel(events)
        elif self.stage == "open":
            self._pass(end, events)
        elif self.stage == "refused" and not self._overhears():
            self.close()

    def found(self, addresses: Sequence[Address]) -> None:
        """Go on to the server, now that its addresses are known."""
        if self.stage == "naming":
            self._addresses = list(addresses)
            self._try_next()

    def fail(self, why: str, status: str = "502 Bad Gateway") -> None:
        """Tell the program why it is not served, if it speaks HTTP, and serve it no more.

        What it still sends is read and thrown away for a while: a connection closed before would
        take the answer with it.
        """
        if self.stage in {"refused", "closed"}:
            return
        self.stage = "refused"
        self.deadline = time.monotonic() + _LINGER
        if self.outer is not None:
            self.outer.close()
            self.outer = None
        if not self._speaks_http or not self._tells(refusal(status, why)):
            self.close()

    def time_out(self) -> None:
        """Give up a connection that has not opened in time."""
        if self.stage == "asking":
            self.fail("no request came", "408 Request Timeout")
        elif self.stage == "refused":
            self.close()
        elif self.stage == "connecting" and self._addresses:
            self._try_next()
        elif self._request is not None:
            self.fail(f"{self._request.server.text} did not answer", "504 Gateway Timeout")

    def close(self) -> None:
        """Let go of both connections."""
        self.stage = "closed"
        self.inner.close()
        if self.outer is not None:
            self.outer.close()

    def _tells(self, answer: bytes) -> bool:
        try:
            self.inner.sendall(answer)
            self.inner.shutdown(socket.SHUT_WR)
        except OSError:
            return False  # the program is gone, or does not listen
        return True

    def _overhears(self) -> bool:
        try:
            return bool(self.inner.recv(_CHUNK))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _listen(self) -> None:
        self._up.take(self.inner)
        head, end, rest = self._up.pending.partition(END)
        if len(head) > HEAD_LIMIT:
            self.fail("the request is too long", "431 Request Header Fields Too Large")
            return
        if not end:
            if self._up.ended:
                self.close()
            return
        try:
            request = read_request(bytes(head))
        except Malformed as error:
            self.fail(str(error), "400 Bad Request")
            return
        if not self._porter.admits(request.server):
            self.fail(f"{request.server.text} is not among the servers that can be reached here",
                      "403 Forbidden")  # fmt: skip
            return
        self._up.pending = bytearray(request.first) + rest
        self._lead_to(request)

    def _lead_to(self, request: ProxyRequest) -> None:
        self._request = request
        self.stage = "naming"
        self.deadline = time.monotonic() + PATIENCE
        try:
            self._upstream = self._porter.way_to(request.server, tunnel=request.tunnel)
        except UnknownProxy as error:
            self.fail(str(error))
            return
        self._porter.look_up(self, self._upstream.server if self._upstream else request.server)

    def _try_next(self) -> None:
        """Begin to connect to the next address."""
        while self._addresses:
            family, where = self._addresses.pop(0)
            if self.outer is not None:
                self.outer.close()
            self.outer = socket.socket(family, socket.SOCK_STREAM)
            self.outer.settimeout(0)
            code = self.outer.connect_ex(where)
            if code in {0, EINPROGRESS}:
                self.stage = "connecting"
                patience = NEXT_ADDRESS if self._addresses else PATIENCE
                self.deadline = time.monotonic() + patience
                return
            self._problem = os.strerror(code)
        server = self._request.server.text if self._request else "the server"
        self.fail(f"{server} cannot be reached: {self._problem}")

    def _connected(self) -> None:
        if self.outer is None or self._request is None:
            return
        code = self.outer.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            self._problem = os.strerror(code)
            self._try_next()
            return
        for end in (self.inner, self.outer):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._upstream is None:
            self._open(b"")
            return
        self._held, self._up.pending = self._up.pending, bytearray(self._upstream.request)
        self.stage = "tunnelling"

    def _tunnel(self, events: int) -> None:
        """Ask the proxy on the way, and read its answer."""
        if self.outer is None:
            return
        if events & EVENT_WRITE:
            self._up.give(self.outer)
        if not events & EVENT_READ:
            return
        self._down.take(self.outer)
        head, end, rest = self._down.pending.partition(END)
        if end and is_granted(bytes(head)):
            self._up.pending = self._held
            self._open(bytes(rest))
        elif end or self._down.ended or len(head) > HEAD_LIMIT:
            said = head.partition(b"\r\n")[0].decode("ascii", "replace")[:100]
            self.fail(f"the proxy on the way refused: {said if said.isprintable() else ''}")

    def _open(self, first: bytes) -> None:
        if self._request is None:
            return
        self.stage = "open"
        self._down.pending = bytearray(_GRANTED if self._request.tunnel else b"") + first
        self._porter.note_reached(self._request.server)

    def _pass(self, end: socket.socket, events: int) -> None:
        if self.outer is None:
            return
        comes, goes = (self._up, self._down) if end is self.inner else (self._down, self._up)
        other = self.outer if end is self.inner else self.inner
        if events & EVENT_WRITE:
            goes.give(end)
        if events & EVENT_READ:
            self._porter.note_passed(comes.take(end))
            comes.give(other)  # at once, as it nearly always can
        if self._up.finished and self._down.finished:
            self.close()

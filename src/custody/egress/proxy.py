"""Lets the programs of a closed network through to the servers that were named, and no other.

    with Proxy.on_this_machine(("api.example.com:443",)) as proxy:
        ...  # programs find it at proxy.listeners[0]
    print(proxy.reached, proxy.refused)

A proxy is a thread of the runtime. It accepts connections at its listeners: the first speaks the
protocol of an HTTP proxy, each further one leads straight to a server of this machine. The
connections onward are made out here, so nothing inside has to be trusted with them. Whoever comes
in is taken for an enemy: what waits is bounded in bytes, in time and in number.
"""

from __future__ import annotations

import math
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Self

from custody.egress.connection import Address, Connection
from custody.egress.names import Bell, Names, addresses
from custody.egress.upstream import Upstream, upstream_of
from custody.model.endpoint import Endpoint, parse_endpoint
from custody.sandbox.confinement import ProxyListener
from custody.sandbox.listeners import listeners_inside, receive_listeners

MOST_CONNECTIONS = 128
MOST_REFUSED = 20
"""Servers that are remembered as asked for and refused."""

_FLUSH = 1.0
"""Seconds in which what programs have sent before they ended is passed on."""
_TICK, _LAST_TICK = 1.0, 0.01


class Proxy:
    """Passages to the servers of ``reach``."""

    def __init__(
        self,
        reach: tuple[str, ...],
        listeners: tuple[ProxyListener, ...],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.listeners = listeners
        self._admitted = frozenset(parse_endpoint(text) for text in reach)
        self._environment = dict(os.environ if environment is None else environment)
        self._reached: set[str] = set()
        self._refused: set[str] = set()
        self.traffic = 0
        """Bytes that have passed by now, both ways."""
        self._listeners: dict[socket.socket, Endpoint | None] = {}
        self._handover: socket.socket | None = None
        self._connections: dict[Connection, dict[socket.socket, int]] = {}
        self._owners: dict[socket.socket, Connection] = {}
        self._waiting: dict[Endpoint, list[Connection]] = {}
        self._closing_at = math.inf
        self._closed_until = 0.0
        self._is_closed = False
        self._bell = Bell()
        self._names = Names(self._bell.ring)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._bell.descriptor, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._serve, name="proxy", daemon=True)

    @classmethod
    def on_this_machine(
        cls, reach: tuple[str, ...], environment: Mapping[str, str] | None = None
    ) -> Self:
        """Open a proxy on a port of this machine; those on loopback are reached straight."""
        straight = listeners_inside(reach)[1:]
        bound = socket.create_server(("127.0.0.1", 0), backlog=MOST_CONNECTIONS)
        listener = ProxyListener(address="127.0.0.1", port=bound.getsockname()[1])
        proxy = cls(reach, (listener, *straight), environment)
        proxy._listen(bound, "")
        proxy._thread.start()
        return proxy

    @classmethod
    def inside(
        cls, reach: tuple[str, ...], handover: int, environment: Mapping[str, str] | None = None
    ) -> Self:
        """Open a proxy in a network to be made; its listeners come through ``handover``."""
        proxy = cls(reach, listeners_inside(reach), environment)
        proxy._handover = socket.socket(fileno=os.dup(handover))
        proxy._handover.settimeout(0)
        proxy._selector.register(proxy._handover, selectors.EVENT_READ)
        proxy._thread.start()
        return proxy

    @property
    def reached(self) -> tuple[str, ...]:
        """Every server that a connection was made to."""
        return tuple(sorted(self._reached))

    @property
    def refused(self) -> tuple[str, ...]:
        """Servers that were asked for and are not among those named."""
        return tuple(sorted(self._refused))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every connection; what a program had sent is passed on if that is quick."""
        if self._bell.descriptor < 0:
            return
        self._closing_at = time.monotonic()
        self._bell.ring()
        self._thread.join()
        self._names.close()
        self._bell.close()

    # What a connection asks of its proxy.

    def admits(self, server: Endpoint) -> bool:
        """Tell whether a server was named, and remember it if not."""
        admitted = server in self._admitted
        if not admitted and len(self._refused) < MOST_REFUSED:
            self._refused.add(server.text)
        return admitted

    def way_to(self, server: Endpoint, *, tunnel: bool) -> Upstream | None:
        """Return the proxy that the runtime goes through to a server."""
        return upstream_of(server, self._environment, tunnel=tunnel)

    def look_up(self, connection: Connection, server: Endpoint) -> None:
        """Find a server's addresses, at once where nobody has to be asked."""
        if server.loopback or server.is_address:
            connection.found(addresses(server))
            return
        self._waiting.setdefault(server, []).append(connection)
        self._names.ask(server)

    def note_reached(self, server: Endpoint) -> None:
        """Remember that a connection to a server stands."""
        self._reached.add(server.text)

    def note_passed(self, size: int) -> None:
        """Count bytes that have passed."""
        self.traffic += size

    # The thread.

    def _serve(self) -> None:
        try:
            while self._serve_once():
                pass
        finally:
            self._let_go()

    def _serve_once(self) -> bool:
        """Do what there is to do; tell whether there may be more."""
        ends = self._closing_at < math.inf
        rests = all(connection.has_passed_on for connection in self._connections) if ends else False
        ready = self._selector.select(0 if rests else _LAST_TICK if ends else _TICK)
        for key, events in ready:
            self._act(key.fileobj, events)
        for server, found, why in self._names.answers():
            self._answer(server, found, why)
        self._look_at_the_time()
        if not ends:
            return True
        return bool(ready or not rests) and time.monotonic() < self._closing_at + _FLUSH

    def _act(self, source: object, events: int) -> None:
        if source == self._bell.descriptor:
            self._bell.hear()
        elif source is self._handover:
            self._take_doors()
        elif isinstance(source, socket.socket) and source in self._listeners:
            self._let_in(source)
        elif isinstance(source, socket.socket) and source in self._owners:
            connection = self._owners[source]
            self._go_on(connection, partial(connection.act, source, events))

    def _take_doors(self) -> None:
        if self._handover is None:
            return
        opened = receive_listeners(self._handover)
        if opened is None:
            self._selector.unregister(self._handover)
        for at, listener in opened or ():
            self._listen(socket.socket(fileno=listener), self.listeners[at].server)

    def _listen(self, listener: socket.socket, server: str) -> None:
        listener.settimeout(0)
        self._listeners[listener] = parse_endpoint(server) if server else None
        if not self._is_closed:
            self._selector.register(listener, selectors.EVENT_READ)

    def _let_in(self, listener: socket.socket) -> None:
        try:
            inner = listener.accept()[0]
        except BlockingIOError:
            return
        except OSError:
            self._closed_until = time.monotonic() + _TICK  # for want of descriptors
            return
        connection, server = Connection(inner, self), self._listeners[listener]
        self._connections[connection] = {}
        self._go_on(connection, partial(connection.lead_to, server) if server else None)

    def _go_on(self, connection: Connection, step: Callable[[], None] | None) -> None:
        """Take a step with a connection, and wait for what it waits for then."""
        try:
            if step is not None:
                step()
        except OSError as error:
            connection.fail(f"the proxy has no way: {error.strerror}")
        wanted, watched = connection.interest, self._connections[connection]
        for end in watched.keys() - wanted.keys():
            self._selector.unregister(end)
            del self._owners[end], watched[end]
        for end, events in wanted.items():
            if end not in watched:
                self._selector.register(end, events)
                self._owners[end] = connection
            elif watched[end] != events:
                self._selector.modify(end, events)
            watched[end] = events
        if connection.stage == "closed":
            del self._connections[connection]

    def _answer(self, server: Endpoint, found: list[Address], why: str) -> None:
        for connection in self._waiting.pop(server, []):
            if connection not in self._connections:
                continue
            if found:
                self._go_on(connection, partial(connection.found, found))
            else:
                reason = f"{server.text} cannot be found: {why}"
                self._go_on(connection, partial(connection.fail, reason))

    def _look_at_the_time(self) -> None:
        now = time.monotonic()
        late = [p for p in self._connections if p.stage != "open" and now > p.deadline]
        for connection in late:
            self._go_on(connection, connection.time_out)
        is_closed = len(self._connections) >= MOST_CONNECTIONS or now < self._closed_until
        for listener in self._listeners if is_closed != self._is_closed else ():
            if is_closed:
                self._selector.unregister(listener)
            else:
                self._selector.register(listener, selectors.EVENT_READ)
        self._is_closed = is_closed

    def _let_go(self) -> None:
        self._selector.close()
        for connection in self._connections:
            connection.close()
        for listener in self._listeners:
            listener.close()
        if self._handover is not None:
            for _, unserved in receive_listeners(self._handover) or ():
                os.close(unserved)
            self._handover.close()

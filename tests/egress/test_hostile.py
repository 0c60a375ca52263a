"""Whatever a program says to the proxy, no server is reached that was not named."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from custody.egress.proxy import Proxy
from support.servers import Server, echo
from support.sweep import examples

PIECES = (
    "GET", "CONNECT", "POST", " ", " ", "http://", "TRAP", "TRAP", "LISTED", "LISTED", ":", "@",
    "/", "\\", "#", "?", "\r\n", "\r\n\r\n", "\n", "\0", " HTTP/1.1", " HTTP/1.1\r\n\r\n",
    "Host: TRAP", "%40", "[", "]", "localhost", "0x7f.1", "127.1", ";", ",", "\t",
)  # fmt: skip


@pytest.fixture(scope="module")
def scene() -> Iterator[tuple[Proxy, Server, Server]]:
    with (
        Server(echo) as listed,
        Server(echo) as trap,
        Proxy.on_this_machine((listed.name,)) as proxy,
    ):
        yield proxy, listed, trap


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(200))
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=60))
@example("GET http://LISTED@TRAP/ HTTP/1.1\r\n\r\n")
@example("GET http://TRAP\\@LISTED/ HTTP/1.1\r\nHost: TRAP\r\n\r\n")
@example("CONNECT LISTED HTTP/1.1\r\n\r\nCONNECT TRAP HTTP/1.1\r\n\r\n")
def test_nothing_that_is_said_reaches_another_server(
    scene: tuple[Proxy, Server, Server], said: str
) -> None:
    proxy, listed, trap = scene
    said = said.replace("TRAP", trap.name).replace("LISTED", listed.name)
    where = proxy.listeners[0].address, proxy.listeners[0].port
    with socket.create_connection(where, timeout=20) as connection:
        connection.sendall(said.encode("utf-8", "surrogatepass"))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 16):
            pass
    assert trap.count == 0
    assert proxy.reached in {(), (listed.name,)}

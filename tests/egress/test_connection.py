"""One connection of a confined program, from its request to its end."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import ExitStack

import pytest

from custody.egress import connection as connection_module
from custody.egress.proxy import Proxy
from support.proxying import ask, client, connect, everything
from support.servers import Server, answer, count_bytes, echo, hello, read_head, refusing_port

pytestmark = pytest.mark.usefixtures("_nothing_is_left")


def test_a_tunnel_passes_both_ways_and_its_ends_one_by_one() -> None:
    with (
        Server(count_bytes) as server,
        Proxy.on_this_machine((server.name,)) as proxy,
        client(proxy) as connection,
    ):
        assert connect(connection, server.name).startswith(b"HTTP/1.1 200 ")
        connection.sendall(b"x" * 1000)
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection) == b"1000"


def test_bytes_sent_with_the_request_are_not_lost() -> None:
    with Server(echo) as server, Proxy.on_this_machine((server.name,)) as proxy:
        request = f"CONNECT {server.name} HTTP/1.1\r\n\r\nearly"
        with client(proxy) as connection:
            connection.sendall(request.encode())
            connection.shutdown(socket.SHUT_WR)
            assert everything(connection).endswith(b"\r\n\r\nearly")


def test_large_amounts_pass_both_ways_at_once() -> None:
    size = 32 << 20
    with (
        Server(echo) as server,
        Proxy.on_this_machine((server.name,)) as proxy,
        client(proxy) as connection,
    ):
        connect(connection, server.name)
        block = os.urandom(1 << 20)

        def send() -> None:
            for _ in range(size // len(block)):
                connection.sendall(block)
            connection.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send)
        sender.start()
        data = everything(connection)
        sender.join()
    assert data == block * (size // len(block))


def test_a_reader_that_waits_makes_the_server_wait() -> None:
    sent = 0
    stop = threading.Event()

    def pour(connection: socket.socket) -> None:
        nonlocal sent
        read_head(connection)
        connection.settimeout(0.2)
        while not stop.is_set():
            try:
                sent += connection.send(b"x" * 65536)
            except TimeoutError:
                if sent > connection_module.FLOW_LIMIT:  # before, the proxy only takes its time
                    stop.set()

    with (
        Server(pour) as server,
        Proxy.on_this_machine((server.name,)) as proxy,
        client(proxy) as connection,
    ):
        connection.sendall(f"GET http://{server.name}/ HTTP/1.1\r\n\r\n".encode())
        assert stop.wait(60)
        waiting = sum(len(one._down.pending) for one in list(proxy._connections))
        assert waiting <= connection_module.FLOW_LIMIT + connection_module._CHUNK
    assert sent > connection_module.FLOW_LIMIT


def test_events_arrive_as_they_are_sent() -> None:
    heard = threading.Event()

    def stream(connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\ndata: one\n\n")
        assert heard.wait(20)
        connection.sendall(b"data: two\n\n")

    with (
        Server(stream) as server,
        Proxy.on_this_machine((server.name,)) as proxy,
        client(proxy) as connection,
    ):
        connection.sendall(f"GET http://{server.name}/ HTTP/1.1\r\n\r\n".encode())
        first = b""
        while not first.endswith(b"one\n\n"):
            first += connection.recv(1000)
        heard.set()
        assert everything(connection) == b"data: two\n\n"


def test_what_follows_a_request_goes_to_the_same_server() -> None:
    seen: list[bytes] = []

    def note(connection: socket.socket) -> None:
        seen.extend([read_head(connection), read_head(connection)])
        answer(connection, b"")

    with (
        Server(note) as server,
        Server(hello) as other,
        Proxy.on_this_machine((server.name,)) as proxy,
    ):
        first = f"GET http://{server.name}/ HTTP/1.1\r\nConnection: keep-alive\r\n\r\n"
        ask(proxy, f"{first}GET http://{other.name}/ HTTP/1.1\r\n\r\n")
        assert other.count == 0
    assert b"Connection: close" in seen[0]
    assert seen[1].startswith(f"GET http://{other.name}/".encode())
    assert proxy.reached == (server.name,)


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("nonsense\r\n\r\n", "400"),
        ("GET http://a/ HTTP/1.1\r\nX: " + "x" * 70000 + "\r\n\r\n", "431"),
    ],
)
def test_what_is_no_request_is_answered(request_text: str, status: str) -> None:
    with Proxy.on_this_machine(("a.example:1",)) as proxy:
        assert ask(proxy, request_text).startswith(f"HTTP/1.1 {status} ".encode())
    assert (proxy.reached, proxy.refused) == ((), ())


def test_a_refusal_can_be_read_by_who_is_still_sending() -> None:
    with Proxy.on_this_machine(("a.example:1",)) as proxy, client(proxy) as connection:
        connection.sendall(b"POST http://b.example:1/ HTTP/1.1\r\n\r\n")
        for _ in range(20):
            connection.sendall(b"x" * 100_000)
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection).startswith(b"HTTP/1.1 403 ")


def test_a_request_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "PATIENCE", 0.1)
    with Proxy.on_this_machine(("a.example:1",)) as proxy, client(proxy) as connection:
        connection.sendall(b"GET http")
        assert everything(connection).startswith(b"HTTP/1.1 408 ")


def test_a_server_that_is_not_there_is_told() -> None:
    with refusing_port() as port, Proxy.on_this_machine((name := f"localhost:{port}",)) as proxy:
        said = ask(proxy, f"CONNECT {name} HTTP/1.1\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 502 ")
    assert said.endswith(f"{name} cannot be reached: Connection refused\n".encode())
    assert (proxy.reached, proxy.refused) == ((), ())


def test_the_second_address_of_a_server_is_tried() -> None:
    with Server(hello, "::1") as server:
        name = f"localhost:{server.port}"
        with Proxy.on_this_machine((name,)) as proxy:
            assert b" 200 " in ask(proxy, f"GET http://{name}/ HTTP/1.1\r\n\r\n")
    assert proxy.reached == (name,)


def test_what_was_sent_before_the_end_arrives() -> None:
    arrived: list[bytes] = []
    done = threading.Event()

    def collect(connection: socket.socket) -> None:
        arrived.append(everything(connection))
        done.set()

    with Server(collect) as server:
        with Proxy.on_this_machine((server.name,)) as proxy, client(proxy) as connection:
            connect(connection, server.name)
            connection.sendall(b"x" * 500_000)
            connection.close()
        assert done.wait(20)
    assert len(arrived[0]) == 500_000


def test_an_address_that_does_not_answer_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(hello) as server, socket.socket() as deaf, ExitStack() as stack:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for _ in range(3):  # more than it lets wait: the next gets no answer
            waiting = stack.enter_context(socket.socket())
            waiting.settimeout(0)
            waiting.connect_ex(deaf.getsockname())
        places = [deaf.getsockname(), ("127.0.0.1", server.port)]
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place) for place in places]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        monkeypatch.setattr(connection_module, "NEXT_ADDRESS", 0.1)
        with Proxy.on_this_machine(("two.test:80",)) as proxy:
            address = proxy.listeners[0].address, proxy.listeners[0].port
            with socket.socket() as connection:
                connection.settimeout(20)
                connection.connect(address)
                connection.sendall(b"GET http://two.test/ HTTP/1.1\r\n\r\n")
                assert b" 200 " in everything(connection)


@pytest.mark.parametrize(
    ("head", "why"),
    [(b"HTTP/1.1 407 Who?\r\n\r\n", "HTTP/1.1 407 Who?"), (b"\x00\xff\r\n\r\n", ""), (b"", "")],
)
def test_a_proxy_on_the_way_may_refuse(head: bytes, why: str) -> None:
    def refuse(connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(head)

    with (
        Server(refuse) as upstream,
        Proxy.on_this_machine(("a.example:1",), {"HTTPS_PROXY": upstream.name}) as proxy,
    ):
        said = ask(proxy, "CONNECT a.example:1 HTTP/1.1\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 502 ")
    assert said.endswith(f"the proxy on the way refused: {why}\n".encode())
    assert (proxy.reached, proxy.refused) == ((), ())

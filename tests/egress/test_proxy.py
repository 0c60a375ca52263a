"""The proxy between real clients and real servers."""

from __future__ import annotations

import threading

import pytest

from custody.egress import proxy as proxy_module
from custody.egress.proxy import MOST_REFUSED, Proxy
from support.proxying import ask, client, connect, everything
from support.servers import Server, echo, hello, proxy_to

pytestmark = pytest.mark.usefixtures("_nothing_is_left")


def test_a_plain_request_reaches_its_server() -> None:
    with Server(hello) as server, Proxy.on_this_machine((server.name,)) as proxy:
        said = ask(proxy, f"GET http://{server.name}/x HTTP/1.1\r\nHost: y\r\n\r\n")
    assert said.endswith(b"hello GET /x HTTP/1.1")
    assert (proxy.reached, proxy.refused) == ((server.name,), ())


def test_many_at_once() -> None:
    said: list[bytes] = []
    with Server(hello) as server, Proxy.on_this_machine((server.name,)) as proxy:
        request = f"GET http://{server.name}/ HTTP/1.1\r\n\r\n"
        threads = [
            threading.Thread(target=lambda: said.append(ask(proxy, request))) for _ in range(100)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.count == 100
    assert sum(answer.endswith(b"hello GET / HTTP/1.1") for answer in said) == 100


@pytest.mark.parametrize(
    "asked",
    ["localhost:{port}", "127.0.0.1:1", "[::1]:{port}", "127.0.0.2:{port}", "a.example:443"],
)
def test_what_was_not_named_is_refused_and_told(asked: str) -> None:
    with Server(hello) as server, Proxy.on_this_machine((server.name,)) as proxy:
        name = asked.format(port=server.port)
        tunnel = ask(proxy, f"CONNECT {name} HTTP/1.1\r\n\r\n")
        plain = ask(proxy, f"GET http://{name}/ HTTP/1.1\r\nHost: {server.name}\r\n\r\n")
        assert server.count == 0
    why = f"\r\n\r\n{name} is not among the servers that can be reached here\n".encode()
    for said in (tunnel, plain):
        assert said.startswith(b"HTTP/1.1 403 Forbidden\r\n")
        assert said.endswith(why)
    assert (proxy.reached, proxy.refused) == ((), (name,))


def test_not_every_refusal_is_remembered() -> None:
    with Proxy.on_this_machine(("a.example:1",)) as proxy:
        for port in range(1, MOST_REFUSED + 10):
            ask(proxy, f"CONNECT b.example:{port} HTTP/1.1\r\n\r\n")
    assert len(proxy.refused) == MOST_REFUSED


def test_no_more_passages_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_module, "MOST_CONNECTIONS", 2)
    with Server(hello) as server, Proxy.on_this_machine((server.name,)) as proxy:
        with client(proxy) as first, client(proxy), client(proxy) as third:
            third.sendall(f"GET http://{server.name}/ HTTP/1.1\r\n\r\n".encode())
            third.settimeout(0.3)
            with pytest.raises(TimeoutError):
                third.recv(1)
            first.close()
            third.settimeout(20)
            assert b" 200 " in everything(third)
        assert b" 200 " in ask(proxy, f"GET http://{server.name}/ HTTP/1.1\r\n\r\n")


def test_connections_end_with_the_gate() -> None:
    with (
        Server(echo) as server,
        Proxy.on_this_machine((server.name,)) as proxy,
        client(proxy) as connection,
        client(proxy) as idle,
    ):
        connect(connection, server.name)
        proxy.close()
        assert everything(connection) == everything(idle) == b""


@pytest.mark.parametrize("tunnel", [True, False])
def test_the_runtimes_own_proxy_is_gone_through(*, tunnel: bool) -> None:
    asked: list[bytes] = []
    granted = b"HTTP/1.1 200 OK\r\nVia: test\r\n\r\n"
    with Server(hello) as server, Server(proxy_to(server.port, granted, asked)) as upstream:
        variables = {
            "HTTPS_PROXY": f"http://{upstream.name}",
            "http_proxy": f"http://u:p@{upstream.name}",
        }
        with (
            Proxy.on_this_machine(("a.example:80",), variables) as proxy,
            client(proxy) as connection,
        ):
            if tunnel:
                assert b" 200 " in connect(connection, "a.example:80")
            target = "/" if tunnel else "http://a.example/"
            connection.sendall(f"GET {target} HTTP/1.1\r\n\r\n".encode())
            assert everything(connection).endswith(b"hello GET / HTTP/1.1")
    assert asked[0].startswith(b"CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n")
    assert (b"Proxy-Authorization: Basic dTpw" in asked[0]) is not tunnel
    assert proxy.reached == ("a.example:80",)


def test_servers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="no port"):
        Proxy.on_this_machine(("a.example",))

"""Servers are looked up, and nobody waits for the answer but who asked."""

from __future__ import annotations

import select
import socket
import threading
from typing import Any

import pytest

from custody.egress.names import Bell, Names, addresses
from custody.egress.proxy import Proxy
from custody.model.endpoint import parse_endpoint
from support.proxying import ask, client
from support.servers import Server, hello

pytestmark = pytest.mark.usefixtures("_nothing_is_left")


def test_names_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def look_up(host: str, *arguments: object, **named: object) -> object:
        if host.endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real("127.0.0.1" if host.endswith(".test") else host, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with Server(hello) as server:
        names = (f"here.test:{server.port}", f"gone.invalid:{server.port}")
        with Proxy.on_this_machine(names) as proxy:
            found, lost = (ask(proxy, f"GET http://{name}/ HTTP/1.1\r\n\r\n") for name in names)
    assert b" 200 " in found
    assert lost.endswith(f"{names[1]} cannot be found: Name or service not known\n".encode())
    assert proxy.reached == names[:1]


def test_a_resolver_that_hangs_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = threading.Event()
    real = socket.getaddrinfo

    def hang(host: str, *arguments: object, **named: object) -> object:
        if host == "slow.test":
            answers.wait(60)
            host = "127.0.0.1"
        return real(host, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with Server(hello) as server:
        with Proxy.on_this_machine((server.name, "slow.test:1")) as proxy, client(proxy) as slow:
            slow.sendall(b"CONNECT slow.test:1 HTTP/1.1\r\n\r\n")
            assert b" 200 " in ask(proxy, f"GET http://{server.name}/ HTTP/1.1\r\n\r\n")
        waiting = [one for one in threading.enumerate() if "_resolve" in one.name]
        assert len(waiting) == 1
        answers.set()
        waiting[0].join()


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("127.0.0.1:80", {("127.0.0.1", 80)}),
        ("[::1]:443", {("::1", 443)}),
        ("localhost:80", {("127.0.0.1", 80), ("::1", 80)}),
        ("10.1.2.3:8080", {("10.1.2.3", 8080)}),
    ],
)
def test_nobody_is_asked_about_an_address_or_this_machine(
    server: str, expected: set[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = socket.getaddrinfo, []

    def watch(*arguments: Any, **named: Any) -> Any:
        asked.append(named["flags"])
        return real(*arguments, **named)

    monkeypatch.setattr(socket, "getaddrinfo", watch)
    assert {address.where for address in addresses(parse_endpoint(server))} == expected
    assert set(asked) == {socket.AI_NUMERICHOST}


def test_an_address_is_told_once() -> None:
    found = addresses(parse_endpoint("localhost:80"))
    assert len(set(found)) == len(found)


def test_a_question_is_asked_once_and_its_answer_taken_once() -> None:
    heard = threading.Event()
    names = Names(heard.set)
    server = parse_endpoint("127.0.0.1:80")
    names.ask(server)
    names.ask(server)
    assert heard.wait(20)
    names.close()
    assert [(asked, why) for asked, _, why in names.answers()] == [(server, "")]
    assert names.answers() == []


def test_a_name_that_means_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> object:
        raise UnicodeError("label too long")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    names = Names(lambda: None)
    names.ask(parse_endpoint("a.test:1"))
    names.close()
    ((_, found, why),) = names.answers()
    assert (found, why) == ([], "the name means nothing")


def test_a_machine_that_has_no_thread_left_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    names = Names(lambda: None)
    names.ask(parse_endpoint("a.test:1"))
    ((_, found, why),) = names.answers()
    assert (found, why) == ([], "can't start new thread")


def test_a_bell_can_be_rung_after_its_end() -> None:
    bell = Bell()
    poll = select.poll()
    poll.register(bell.descriptor, select.POLLIN)
    assert poll.poll(0) == []
    bell.ring()
    bell.ring()
    assert poll.poll(0) != []
    bell.hear()
    assert poll.poll(0) == []
    bell.close()
    bell.ring()

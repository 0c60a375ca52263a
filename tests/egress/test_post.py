"""One body to one server, and nothing is believed that it should not say."""

from __future__ import annotations

import socket

import pytest

from custody.egress import post as module
from custody.egress.post import post
from custody.errors import FetchFailed, UsageError
from support.servers import Server, refusing_port


def answer(head: str, body: bytes) -> bytes:
    return f"HTTP/1.1 {head}\r\nConnection: close\r\n\r\n".encode() + body


def asked(
    reply: bytes, url: str = "http://{}/a?b=c", limit: int = 100, token: str = ""
) -> tuple[bytes, bytes]:
    """Post to a server that replies so; return what it was sent and what came back."""
    seen = bytearray()

    def talk(connection: socket.socket) -> None:
        while not seen.endswith(b"BODY"):
            if not (piece := connection.recv(4096)):
                return
            seen.extend(piece)
        connection.sendall(reply)
        connection.shutdown(socket.SHUT_WR)

    with Server(talk) as server:
        found = post(
            url.format(server.name),
            b"BODY",
            content_type="a/b",
            answer_type="c/d",
            limit=limit,
            token=token,
        )
    return bytes(seen), found


def failure(reply: bytes, url: str = "http://{}/") -> str:
    with pytest.raises(FetchFailed) as caught:
        asked(reply, url)
    return caught.value.code


def test_a_body_is_sent_and_the_answer_comes_back() -> None:
    seen, found = asked(answer("200 OK\r\nContent-Type: C/D; x=y", b"said"))
    assert seen.startswith(b"POST /a?b=c HTTP/1.1\r\n")
    assert b"Content-Type: a/b\r\n" in seen
    assert found == b"said"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (answer("302 Found\r\nLocation: http://example.org/", b""), "status"),
        (answer("500 No", b""), "status"),
        (answer("200 OK\r\nContent-Type: text/html", b"x"), "content_type"),
        (answer("200 OK", b"x"), "content_type"),
        (answer("200 OK\r\nContent-Type: c/d", b"x" * 101), "too_large"),
        (answer("200 OK\r\nContent-Type: c/d\r\nContent-Length: 9", b"x"), "protocol"),
        (b"hello\r\n", "protocol"),
        (b"", "protocol"),
    ],
)
def test_what_is_no_such_answer_is_refused(reply: bytes, code: str) -> None:
    assert failure(reply) == code


def test_no_secure_connection_and_no_connection_are_told_apart() -> None:
    plain = Server(lambda connection: connection.sendall(b"plain text, no secret\r\n" * 9))
    with plain as server, pytest.raises(FetchFailed) as caught:
        post(f"https://{server.name}/", b"", content_type="a/b", answer_type="c/d", limit=9)
    assert caught.value.code == "tls"
    with refusing_port() as port, pytest.raises(FetchFailed) as caught:
        post(f"http://127.0.0.1:{port}/", b"", content_type="a/b", answer_type="c/d", limit=9)
    assert caught.value.code == "connect"


def test_a_server_that_says_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.01)

    def say_nothing(connection: socket.socket) -> None:
        while connection.recv(1 << 16):
            pass

    with Server(say_nothing) as server, pytest.raises(FetchFailed) as caught:
        post(f"http://{server.name}/", b"BODY", content_type="a/b", answer_type="c/d", limit=9)
    assert caught.value.code == "timeout"


@pytest.mark.parametrize(
    "url",
    ["", "ftp://example.org/", "file:///etc/passwd", "http://u:p@example.org/", "http://[::1",
     "http://example.org:x/", "example.org"],
)  # fmt: skip
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="not the address of a server"):
        post(url, b"", content_type="a/b", answer_type="c/d", limit=9)


def test_a_token_is_sent_to_this_machine() -> None:
    seen, _ = asked(answer("200 OK\r\nContent-Type: c/d", b"x"), token="hush")
    assert b"Authorization: Bearer hush\r\n" in seen
    seen, _ = asked(answer("200 OK\r\nContent-Type: c/d", b"x"))
    assert b"Authorization" not in seen


@pytest.mark.parametrize(
    ("url", "token"),
    [("http://example.org/", "hush"), ("http://127.0.0.1:1/", "hu\r\nsh"), ("http://[::1]/", "é")],
)
def test_a_token_that_others_could_read_is_not_sent(url: str, token: str) -> None:
    with pytest.raises(UsageError) as caught:
        post(url, b"", content_type="a/b", answer_type="c/d", limit=1, token=token)
    assert token not in f"{caught.value}{caught.value.hint}"

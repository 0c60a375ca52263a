"""What is read from the bytes of a program that may mean no good."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from custody.egress.request import Malformed, is_granted, read_request, refusal


def test_a_tunnel_is_asked_for() -> None:
    asked = read_request(b"CONNECT API.example.com:443 HTTP/1.1\r\nHost: other:1")
    assert (asked.server.text, asked.tunnel, asked.first) == ("api.example.com:443", True, b"")


def test_a_plain_request_is_rewritten_for_its_server() -> None:
    asked = read_request(
        b"POST http://Example.com:8080/a?b=http://other/ HTTP/1.1\r\n"
        b"host: other.example\r\n"
        b"Connection: keep-alive\r\n"
        b"Proxy-Connection: keep-alive\r\n"
        b"Proxy-Authorization: Basic c2VjcmV0\r\n"
        b"Content-Length: 3"
    )
    assert (asked.server.text, asked.tunnel) == ("example.com:8080", False)
    assert asked.first == (
        b"POST /a?b=http://other/ HTTP/1.1\r\n"
        b"Host: Example.com:8080\r\n"
        b"Content-Length: 3\r\n"
        b"Connection: close\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("target", "server", "path"),
    [
        (b"http://a", "a:80", b"/"),
        (b"HTTP://a?b", "a:80", b"/?b"),
        (b"http://[::1]/x", "[::1]:80", b"/x"),
        (b"http://[::1]:81/x", "[::1]:81", b"/x"),
    ],
)
def test_forms_of_a_target(target: bytes, server: str, path: bytes) -> None:
    asked = read_request(b"GET " + target + b" HTTP/1.0")
    assert asked.server.text == server
    assert asked.first.startswith(b"GET " + path + b" HTTP/1.0\r\n")


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"GET / HTTP/1.1",
        b"GET https://a/ HTTP/1.1",
        b"GET ftp://a/ HTTP/1.1",
        b"GET http://user@a/ HTTP/1.1",
        b"GET http://a\\@b/ HTTP/1.1",
        b"GET http://a:/ HTTP/1.1",
        b"GET http:///x HTTP/1.1",
        b"GET http://a#b/ HTTP/1.1",
        b"GET http://a/ HTTP/2.0",
        b"GET  http://a/ HTTP/1.1",
        b"GET http://a/ HTTP/1.1\r\n folded: yes",
        b"GET http://a/ HTTP/1.1\r\nname : value",
        b"GET http://a/ HTTP/1.1\r\nname: va\nlue: b",
        b"GET http://a/ HTTP/1.1\r\nname: va\rlue: b",
        b"GET http://a/ HTTP/1.1\r\nname: \0",
        b"GET http://a/\r HTTP/1.1",
        b"CONNECT a HTTP/1.1",
        b"CONNECT http://a:1 HTTP/1.1",
        b"CONNECT a:1@b:2 HTTP/1.1",
        b"CONNECT a%2eb:1 HTTP/1.1",
        b"CONNECT b\xc3\xbccher:1 HTTP/1.1",
        b"\x16\x03\x01\x02\x00",
    ],
)
def test_what_is_no_request_of_a_proxy_is_refused(head: bytes) -> None:
    with pytest.raises(Malformed):
        read_request(head)


PIECES = st.sampled_from(
    [b"GET", b"CONNECT", b" ", b"http://", b"a", b":", b"80", b"@", b"[", b"::1", b"]", b"/", b"\\",
     b"\r\n", b"\n", b"\r", b"\0", b"HTTP/1.1", b"Host: b", b"Connection: close", b"#", b"?"]
)  # fmt: skip


@given(st.binary(max_size=200) | st.lists(PIECES, max_size=20).map(b"".join))
@example(b"GET http://a:80 HTTP/1.1\r\nHost: b")
def test_nothing_but_malformed_is_ever_raised(head: bytes) -> None:
    try:
        asked = read_request(head)
    except Malformed:
        return
    assert asked.server.text.isascii()
    lines = asked.first.split(b"\r\n")
    assert not any(b"\n" in line or b"\r" in line for line in lines)
    if not asked.tunnel:
        assert [line for line in lines if line.lower().startswith(b"host:")] == lines[1:2]
        assert lines[-3:] == [b"Connection: close", b"", b""]


@pytest.mark.parametrize(
    ("head", "granted"),
    [
        (b"HTTP/1.1 200 OK", True),
        (b"HTTP/1.0 200", True),
        (b"HTTP/1.1 200 Connection established\r\nVia: x", True),
        (b"HTTP/1.1 407 Proxy Authentication Required", False),
        (b"HTTP/1.1 2000 OK", False),
        (b"x HTTP/1.1 200 OK", False),
        (b"", False),
    ],
)
def test_answers_of_another_proxy(head: bytes, *, granted: bool) -> None:
    assert is_granted(head) is granted


def test_a_refusal_says_why_in_one_line() -> None:
    head, _, body = refusal("403 Forbidden", "no").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert b"Content-Length: 3\r\n" in head
    assert body == b"no\n"

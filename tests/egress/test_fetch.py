"""Pages are read from where one may go, and from nowhere else."""

from __future__ import annotations

import gzip
import socket
import time
import zlib
from collections.abc import Iterator

import pytest

from custody.egress.fetch import FetchPolicy, fetch
from custody.egress.public_address import PinnedAddress
from custody.errors import FetchFailed
from support.servers import refusing_port
from support.web import WebServer, drip, web_server


@pytest.fixture
def web() -> Iterator[WebServer]:
    with web_server() as server:
        yield server


def failed(url: str, policy: FetchPolicy) -> str:
    with pytest.raises(FetchFailed) as refused:
        fetch(url, policy)
    return refused.value.code


def test_a_page(web: WebServer) -> None:
    url = web.put("/a?b=c", "grün", "Text/HTML; charset=latin-1".replace("latin-1", "UTF-8"))
    page = fetch(url, web.policy())
    assert (page.url, page.content_type, page.text, page.redirects) == (
        url,
        "text/html",
        "grün",
        (),
    )
    assert f"Host: {web.server}\r\n" in web.heads[0]
    assert "Cookie" not in web.heads[0]


@pytest.mark.req("C-11")
def test_only_allowed_domains_are_asked(web: WebServer) -> None:
    url = web.put("/", "x")
    assert failed(url, web.policy(domains=("example.org",))) == "domain"
    assert failed(url, web.policy(domains=("127.0.0.1",))) == "domain"
    assert failed(url, web.policy(plain_http=())) == "plain_http"
    assert failed(url, web.policy(private=())) == "private_address"
    assert failed("ftp://127.0.0.1/", web.policy()) == "scheme"
    assert web.heads == []


def test_any_content_is_taken_where_that_was_said(web: WebServer) -> None:
    url = web.put("/a", b"\xff\0", "image/png")
    assert failed(url, web.policy()) == "content_type"
    assert fetch(url, web.policy(any_content=True)).data == b"\xff\0"
    assert "Accept: */*\r\n" in web.heads[-1]
    web.pages["/b"] = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
    assert fetch(web.url("/b"), web.policy(any_content=True)).content_type == ""


def test_a_token_needs_tls(web: WebServer) -> None:
    url = web.put("/a", "x")
    fetch(url, web.policy(tokens=((web.server, "s3cret"),)))
    assert "s3cret" not in web.heads[0]


@pytest.mark.parametrize("status", [404, 503])
def test_the_status_is_told(web: WebServer, status: int) -> None:
    web.pages["/a"] = b"HTTP/1.1 %d x\r\nContent-Length: 0\r\n\r\n" % status
    with pytest.raises(FetchFailed) as refused:
        fetch(web.url("/a"), web.policy())
    assert (refused.value.code, refused.value.status) == ("status", status)


@pytest.mark.req("C-11")
@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("https://evil.example/", "domain"),
        ("http://localhost:1/", "domain"),
        ("//evil.example/x", "domain"),
        ("file:///etc/passwd", "scheme"),
        ("https://user@127.0.0.1/", "url"),
        ("http://169.254.169.254/latest/meta-data/", "domain"),
    ],
)
def test_every_redirect_is_looked_at_again(web: WebServer, target: str, code: str) -> None:
    assert failed(web.redirect("/", target), web.policy()) == code
    assert len(web.heads) == 1


def test_a_redirect_to_what_is_allowed_is_followed(web: WebServer) -> None:
    web.put("/b/c", "there", "text/plain")
    web.redirect("/b/d", "c", 308)
    page = fetch(web.redirect("/a", "/b/d"), web.policy())
    assert (page.text, page.url) == ("there", web.url("/b/c"))
    assert page.redirects == (web.url("/a"), web.url("/b/d"))


def test_a_redirect_to_a_private_address_is_refused(web: WebServer) -> None:
    with web_server() as other:
        other.put("/", "secret", "text/plain")
        both = (web.server, other.server)
        policy = web.policy(domains=both, plain_http=both)
        assert failed(web.redirect("/", other.url()), policy) == "private_address"
        assert other.heads == []


def test_redirects_have_an_end(web: WebServer) -> None:
    assert failed(web.redirect("/", "/"), web.policy()) == "redirect"
    assert len(web.heads) == 6
    assert failed(web.redirect("/n", ""), web.policy()) == "redirect"


@pytest.mark.req("C-11")
def test_a_name_that_changes_its_meaning_leads_nowhere_else(web: WebServer) -> None:
    """The name is asked once; what was looked at is what is connected to."""
    asked = []
    here = f"rebind.example:{web.port}"
    web.put("/", "page", "text/plain")

    def rebind(host: str, port: int) -> list[PinnedAddress]:
        asked.append(host)
        where = "127.0.0.1" if len(asked) == 1 else "127.0.0.2"
        return [PinnedAddress(socket.AF_INET, where, port)]

    policy = FetchPolicy(domains=(here,), plain_http=(here,), private=(here,))
    page = fetch(f"http://{here}/", policy, resolve=rebind)
    assert (page.text, asked) == ("page", ["rebind.example"])
    with pytest.raises(FetchFailed) as refused:
        fetch(f"http://{here}/", policy._replace(private=()), resolve=rebind)
    assert refused.value.code == "private_address"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("text/plain", ""),
        ("application/json", ""),
        ("application/ld+json", ""),
        ("image/png", "content_type"),
        ("application/octet-stream", "content_type"),
        ("application/pdf", "content_type"),
    ],
)
def test_only_text_is_taken(web: WebServer, kind: str, code: str) -> None:
    url = web.put("/", "x", kind)
    if code:
        assert failed(url, web.policy()) == code
    else:
        assert fetch(url, web.policy()).content_type == kind


def test_a_page_without_a_type_is_no_text(web: WebServer) -> None:
    web.pages["/"] = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
    assert failed(web.url(), web.policy()) == "content_type"


@pytest.mark.parametrize("status", [400, 404, 500, 304, 204])
def test_what_is_no_page(web: WebServer, status: int) -> None:
    web.pages["/"] = f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n".encode()
    assert failed(web.url(), web.policy()) in {"status", "content_type"}


def test_size(web: WebServer) -> None:
    assert len(fetch(web.put("/", "x" * 1000), web.policy(max_bytes=1000)).data) == 1000
    assert failed(web.put("/", "x" * 1001), web.policy(max_bytes=1000)) == "too_large"
    web.pages["/"] = b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n" + b"x" * 5000
    assert failed(web.url(), web.policy(max_bytes=1000)) == "too_large"


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_packed_pages_are_unpacked_and_bombs_are_not(
    web: WebServer, name: str, pack: object
) -> None:
    assert callable(pack)
    small, bomb = pack(b"hello" * 100), pack(b"\0" * (50 << 20))
    assert len(bomb) < 1 << 16
    page = fetch(web.put("/", small, Content_Encoding=name), web.policy(max_bytes=1000))
    assert page.text == "hello" * 100
    url = web.put("/", bomb, Content_Encoding=name)
    assert failed(url, web.policy(max_bytes=100_000)) == "too_large"
    assert failed(web.put("/", b"none", Content_Encoding=name), web.policy()) == "encoding"
    assert failed(web.put("/", small[:-9], Content_Encoding=name), web.policy()) == "protocol"
    assert failed(web.put("/", small, Content_Encoding="br"), web.policy()) == "encoding"
    for more in (small, b"more"):
        url = web.put("/", small + more, Content_Encoding=name)
        assert failed(url, web.policy()) == "encoding", "half of a page would pass for all of it"


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Slow: ",
        b"",
    ],
)
def test_a_server_that_drips_is_left_in_time(web: WebServer, head: bytes) -> None:
    web.pages["/"] = drip(head)
    began = time.monotonic()
    assert failed(web.url(), web.policy(seconds=0.5)) == "timeout"
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"hello\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n",
    ],
)
def test_answers_that_are_none(web: WebServer, answer: bytes) -> None:
    web.pages["/"] = answer
    assert failed(web.url(), web.policy()) == "protocol"


def test_nobody_there(web: WebServer) -> None:
    with refusing_port() as port:
        here = (f"127.0.0.1:{port}",)
        policy = web.policy(domains=here, plain_http=here, private=here)
        assert failed(f"http://{here[0]}/", policy) == "connect"


def test_a_server_without_tls_is_not_asked_by_https(web: WebServer) -> None:
    web.put("/", "x")
    assert failed(f"https://{web.server}/", web.policy()) == "tls"


@pytest.mark.parametrize("charset", ["utf-8", "hex", "no-such", "latin-1"])
def test_any_charset_gives_a_text(web: WebServer, charset: str) -> None:
    url = web.put("/", b"gr\xfcn", f"text/plain; charset={charset}")
    text = fetch(url, web.policy()).text
    assert text == ("grün" if charset == "latin-1" else "gr\ufffdn")

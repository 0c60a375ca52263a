"""Pages are evidence over real TLS, from the servers that were named; a token goes nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from custody.egress.public_address import PinnedAddress
from custody.errors import ResolveFailed
from custody.evidence import Content
from custody.evidence.uri import HttpsUri
from custody.model.own_settings import OwnHttps
from custody.resolvers.web import policy_of, read_page
from support.servers import refusing_port
from support.tls import TlsServer, tls_server

TOKEN = {"FILES_TOKEN": "s3cret-token"}


@pytest.fixture
def web(tmp_path: Path) -> Iterator[TlsServer]:
    with tls_server(tmp_path) as server:
        yield server


def settings(web: TlsServer, **more: Any) -> OwnHttps:
    given = {"servers": (web.server,), "private": (web.server,), "ca_file": web.ca_file, **more}
    return OwnHttps(**given)


def page(url: str, allowed: OwnHttps, environment: dict[str, str] | None = None) -> Content:
    return read_page(allowed, HttpsUri(text=url), environment or {})


def failed(url: str, allowed: OwnHttps, environment: dict[str, str] | None = None) -> ResolveFailed:
    with pytest.raises(ResolveFailed) as raised:
        page(url, allowed, environment)
    assert TOKEN["FILES_TOKEN"] not in f"{raised.value}{raised.value.hint}"
    return raised.value


@pytest.mark.req("E-07")
def test_any_content_is_evidence(web: TlsServer) -> None:
    data = bytes(range(256)) * 40
    url = web.put("/logo.png", data, "image/png")
    assert page(url, settings(web)) == Content.of(data)
    assert "Authorization" not in web.heads[0]


@pytest.mark.req("E-07")
@pytest.mark.parametrize("named", ["{server}", "{SERVER}"])
def test_a_token_is_sent_to_its_own_server(web: TlsServer, named: str) -> None:
    url = web.put("/a", "x", "text/plain")
    server = named.format(server=web.server, SERVER=web.server.upper())
    page(url, settings(web, tokens={server: "FILES_TOKEN"}), TOKEN)
    assert "Authorization: Bearer s3cret-token\r\n" in web.heads[0]
    other = settings(web, tokens={"other.example": "FILES_TOKEN", "127.0.0.1": "FILES_TOKEN"})
    page(url, other, TOKEN)
    assert "Authorization" not in web.heads[1]


@pytest.mark.req("E-07")
def test_a_token_does_not_follow_a_redirect(web: TlsServer, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with tls_server(tmp_path / "other") as other:
        both = f"{Path(web.ca_file).read_text()}{Path(other.ca_file).read_text()}"
        (tmp_path / "both.pem").write_text(both)
        target = other.put("/b", "there", "text/plain")
        url = web.redirect("/a", target)
        allowed = settings(
            web,
            servers=(web.server, other.server),
            private=(web.server, other.server),
            ca_file=str(tmp_path / "both.pem"),
            tokens={web.server: "FILES_TOKEN"},
        )
        assert page(url, allowed, TOKEN).data == b"there"
        assert "Authorization" in web.heads[0]
        assert "Authorization" not in other.heads[0]
        assert (
            failed(url, settings(web, tokens={web.server: "FILES_TOKEN"}), TOKEN).code == "refused"
        )
        assert len(other.heads) == 1


@pytest.mark.req("E-07")
def test_only_named_servers_are_asked(web: TlsServer) -> None:
    url = web.put("/", "x")
    refused = failed(url, settings(web, servers=("example.org",)))
    assert (refused.code, "[evidence.https]" in refused.hint) == ("refused", True)
    private = failed(url, settings(web, private=()))
    assert (private.code, "private_address" in private.what) == ("refused", True)
    assert failed(web.redirect("/r", "http://127.0.0.1/x"), settings(web)).code == "refused"
    assert failed(web.redirect("/s", "https://evil.example/x"), settings(web)).code == "refused"
    assert len(web.heads) == 2


def test_a_name_that_leads_to_a_private_address_is_refused(web: TlsServer) -> None:
    def resolve(_host: str, port: int) -> list[PinnedAddress]:
        return [PinnedAddress(2, "169.254.169.254", port)]

    with pytest.raises(ResolveFailed) as raised:
        read_page(
            settings(web, servers=("a.example",)),
            HttpsUri(text="https://a.example/x"),
            {},
            resolve=resolve,
        )
    assert raised.value.code == "refused"


def test_a_certificate_must_be_known(web: TlsServer, tmp_path: Path) -> None:
    url = web.put("/", "x")
    assert "tls" in failed(url, settings(web, ca_file="")).what
    assert failed(url, settings(web, ca_file=str(tmp_path / "none.pem"))).code == "unreachable"
    (tmp_path / "odd.pem").write_text("no certificate")
    assert failed(url, settings(web, ca_file=str(tmp_path / "odd.pem"))).code == "unreachable"
    (tmp_path / "other").mkdir()
    with tls_server(tmp_path / "other", "127.0.0.2") as other:
        there = settings(other, servers=("127.0.0.1",), private=(other.server,))
        wrong = failed(other.put("/", "x"), settings(other))
        assert (wrong.code, "tls" in wrong.what) == ("unreachable", True)
        assert there.servers
    assert web.heads == []


@pytest.mark.parametrize(
    ("status", "code"), [(404, "gone"), (410, "gone"), (403, "unreachable"), (500, "unreachable")]
)
def test_what_a_server_says(web: TlsServer, status: int, code: str) -> None:
    web.pages["/a"] = f"HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n".encode()
    wrong = failed(web.url("/a"), settings(web, tokens={web.server: "FILES_TOKEN"}))
    assert wrong.code == code
    assert ("FILES_TOKEN" in wrong.hint) == (status == 403)


def test_what_is_too_much_or_cut_off_is_no_evidence(
    web: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("custody.resolvers.web.LIMIT", 100)
    assert failed(web.put("/a", b"x" * 101, "a/b"), settings(web)).code == "too_large"
    web.pages["/b"] = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"
    assert failed(web.url("/b"), settings(web)).code == "unreachable"


def test_nobody_there(web: TlsServer) -> None:
    with refusing_port() as port:
        here = f"127.0.0.1:{port}"
        allowed = settings(web, servers=(here,), private=(here,))
        assert failed(f"https://{here}/", allowed).code == "unreachable"


@pytest.mark.parametrize("token", ["a\r\nX: y", "é", "a\x00"])
def test_what_cannot_be_a_token_is_told(web: TlsServer, token: str) -> None:
    allowed = settings(web, tokens={web.server: "FILES_TOKEN"})
    wrong = failed(web.put("/", "x"), allowed, {"FILES_TOKEN": token})
    assert (wrong.code, token in wrong.what) == ("unreachable", False)
    assert web.heads == []


def test_servers_are_named_with_their_port() -> None:
    named = {"A.example": "T", "[::1]": "T", "[::1]:8443": "T", "b.example:99": "T"}
    tokens = dict(policy_of(OwnHttps(tokens=named), {"T": "t"}, where="").tokens)
    assert set(tokens) == {"a.example:443", "[::1]:443", "[::1]:8443", "b.example:99"}

"""Which proxy the runtime goes through, as other programs would say."""

from __future__ import annotations

import pytest

from custody.egress.upstream import UnknownProxy, upstream_of
from custody.model.endpoint import parse_endpoint

PROXY = {"HTTPS_PROXY": "http://secure.example:3128", "HTTP_PROXY": "plain.example:8080"}


def proxy_for(server: str, *, tunnel: bool = True, **variables: str) -> str:
    found = upstream_of(parse_endpoint(server), {**PROXY, **variables}, tunnel=tunnel)
    return found.server.text if found else ""


def test_the_variable_of_the_protocol_is_taken() -> None:
    assert proxy_for("a.example:443") == "secure.example:3128"
    assert proxy_for("a.example:80", tunnel=False) == "plain.example:8080"
    assert proxy_for("a.example:443", https_proxy="http://[::2]/") == "[::2]:80"
    assert upstream_of(parse_endpoint("a.example:1"), {}, tunnel=True) is None


@pytest.mark.parametrize(
    ("server", "listed", "straight"),
    [
        ("a.example:443", "*", True),
        ("a.example:443", "example", True),
        ("a.example:443", ".example", True),
        ("a.example:443", "*.example", True),
        ("a.example:443", " b , A.Example ", True),
        ("a.example:443", "a.example:443", True),
        ("a.example:443", "a.example:80", False),
        ("a.example:443", "ample", False),
        ("a.example:443", "b.a.example", False),
        ("a.example:443", ",", False),
        ("10.1.2.3:443", "10.1.2.3", True),
        ("10.1.2.3:443", "10.0.0.0/8", True),
        ("10.1.2.3:443", "11.0.0.0/8", False),
        ("10.1.2.3:443", "nonsense/8", False),
        ("10.1.2.3:443", "2.3", False),
        ("[2001:db8::1]:443", "2001:db8::1", True),
        ("127.0.0.1:443", "", True),
        ("localhost:443", "", True),
    ],
)
def test_servers_that_need_no_proxy(server: str, listed: str, *, straight: bool) -> None:
    assert (proxy_for(server, NO_PROXY=listed) == "") is straight
    assert (proxy_for(server, no_proxy=listed) == "") is straight


def test_a_tunnel_is_asked_for_with_the_users_own_name() -> None:
    found = upstream_of(
        parse_endpoint("a.example:443"),
        {"HTTPS_PROXY": "http://me:p%40ss@proxy.example:1"},
        tunnel=True,
    )
    assert found is not None
    assert found.request == (
        b"CONNECT a.example:443 HTTP/1.1\r\n"
        b"Host: a.example:443\r\n"
        b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n\r\n"
    )


@pytest.mark.parametrize(
    "proxy", ["https://a:1", "socks5://a:1", "http://", "http://a:x", "http://a b"]
)
def test_a_proxy_that_cannot_be_used_is_told_without_its_secret(proxy: str) -> None:
    address = proxy.replace("://", "://me:secret@")
    with pytest.raises(UnknownProxy) as raised:
        upstream_of(parse_endpoint("a.example:443"), {"HTTPS_PROXY": address}, tunnel=True)
    assert str(raised.value).startswith("HTTPS_PROXY: ")
    assert "secret" not in str(raised.value)

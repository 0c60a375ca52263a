from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.model.endpoint import Endpoint, parse_endpoint


@pytest.mark.parametrize(
    ("text", "host", "port", "back"),
    [
        ("api.example.com:443", "api.example.com", 443, "api.example.com:443"),
        ("API.Example.COM:443", "api.example.com", 443, "api.example.com:443"),
        ("localhost:1", "localhost", 1, "localhost:1"),
        ("a_b-c.d:65535", "a_b-c.d", 65535, "a_b-c.d:65535"),
        ("127.0.0.1:8123", "127.0.0.1", 8123, "127.0.0.1:8123"),
        ("[::1]:80", "::1", 80, "[::1]:80"),
        ("[2001:DB8:0:0::1]:80", "2001:db8::1", 80, "[2001:db8::1]:80"),
    ],
)
def test_servers_are_read(text: str, host: str, port: int, back: str) -> None:
    endpoint = parse_endpoint(text)
    assert (endpoint.host, endpoint.port, endpoint.text) == (host, port, back)
    assert parse_endpoint(endpoint.text) == endpoint


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("https://api.example.com:443", "a scheme"),
        ("api.example.com:443/v1", "a path"),
        ("user:secret@api.example.com:443", "a user"),
        ("*.example.com:443", "a wildcard"),
        ("api.example.com", "no port"),
        (":443", "no port"),
        ("", "no port"),
        ("api.example.com:", "no port from 1"),
        ("api.example.com:0", "no port from 1"),
        ("api.example.com:65536", "no port from 1"),
        ("api.example.com:+80", "no port from 1"),
        ("api.example.com:\uff18\uff10", "no port from 1"),
        ("api.example.com:80\n", "no port from 1"),
        ("::1:80", "in brackets"),
        ("[::1:80", "in brackets"),
        ("[fe80::1%eth0]:80", "no IPv6 address"),
        ("[127.0.0.1]:80", "no IPv6 address"),
        ("[::ffff:127.0.0.1]:80", "no IPv6 address"),
        ("127.1:80", "no IPv4 address"),
        ("2130706433:80", "no IPv4 address"),
        ("0x7f.1:80", "no IPv4 address"),
        ("127.0.0.01:80", "no IPv4 address"),
        ("api.example.com.:80", "neither"),
        ("-a.example.com:80", "neither"),
        ("a..b:80", "neither"),
        ("a b:80", "neither"),
        ("bücher.example:80", "neither"),
        ("a" * 64 + ":80", "neither"),
        (".".join(["a" * 60] * 5) + ":80", "neither"),
    ],
)
def test_what_names_no_server_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_endpoint(text)


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("127.0.0.1:1", ("127.0.0.1",)),
        ("127.8.0.1:1", ("127.8.0.1",)),
        ("[::1]:1", ("::1",)),
        ("LOCALHOST:1", ("127.0.0.1", "::1")),
        ("128.0.0.1:1", ()),
        ("127.example.com:1", ()),
        ("[::2]:1", ()),
    ],
)
def test_servers_of_this_machine_are_known(text: str, addresses: tuple[str, ...]) -> None:
    assert parse_endpoint(text).loopback == addresses


@given(
    st.text(max_size=40) | st.from_regex(r"[\[a-z0-9.:\]@/*x-]{1,30}:[0-9]{1,6}", fullmatch=True)
)
def test_whatever_is_read_can_be_written_and_read_again(text: str) -> None:
    try:
        endpoint = parse_endpoint(text)
    except ValueError:
        return
    assert isinstance(endpoint, Endpoint)
    assert endpoint.text.isascii()
    assert parse_endpoint(endpoint.text) == endpoint

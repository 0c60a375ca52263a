"""Addresses of the web: how they are spelled, and which domains cover them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.checks.guards.web_address import admits, is_number, read_address, refuse_other_domain
from custody.errors import Refused


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://example.org", "https://example.org/"),
        ("HTTPS://Example.ORG:443/a?b=c#d", "https://example.org/a?b=c"),
        ("https://example.org:8443/", "https://example.org:8443/"),
        ("http://example.org:80/x", "http://example.org/x"),
        ("https://bücher.example/ä?q=ö", "https://xn--bcher-kva.example/%C3%A4?q=%C3%B6"),
        ("https://example.org./", "https://example.org/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://127.0.0.1/", "http://127.0.0.1/"),
        ("https://example.org?q=1", "https://example.org/?q=1"),
    ],
)
def test_one_spelling(text: str, url: str) -> None:
    assert read_address(text).url == url
    assert read_address(url).url == url


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "url"),
        ("example.org", "scheme"),
        ("ftp://example.org/", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("https://", "url"),
        ("https://user@example.org/", "url"),
        ("https://user:pass@example.org/", "url"),
        ("https://example.org\\@evil.example/", "url"),
        ("https://example.org/a b", "url"),
        ("https://example.org/\r\nHost: evil", "url"),
        ("https://example.org:0/", "url"),
        ("https://example.org:99999/", "url"),
        ("https://exa_mple..org/", "url"),
        ("https://-a.example/", "url"),
        ("http://0x7f.1/", "url"),
        ("http://127.1/", "url"),
        ("http://2130706433/", "url"),
        ("http://[::1/", "url"),
        ("https://example.org/" + "a" * 5000, "url"),
    ],
)
def test_what_is_no_address(text: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read_address(text)
    assert refused.value.code == code


@pytest.mark.req("C-11")
@pytest.mark.parametrize(
    ("domain", "url", "covered"),
    [
        ("example.org", "https://example.org/", True),
        ("example.org", "https://docs.example.org/", True),
        ("Example.org", "https://docs.example.org/", True),
        ("example.org", "https://badexample.org/", False),
        ("example.org", "https://example.org.evil.example/", False),
        ("docs.example.org", "https://example.org/", False),
        ("example.org", "https://example.org:8443/", False),
        ("example.org:8443", "https://example.org:8443/", True),
        ("example.org:8443", "https://example.org/", False),
        ("bücher.example", "https://xn--bcher-kva.example/", True),
        ("127.0.0.1:80", "http://127.0.0.1/", True),
        ("1", "https://10.0.0.1/", False),
        ("0.0.1", "https://10.0.0.1/", False),
        ("[::1]:8080", "http://[::1]:8080/", True),
        ("", "https://example.org/", False),
        ("*", "https://example.org/", False),
        ("org.", "https://example.org/", True),
    ],
)
def test_what_a_domain_covers(domain: str, url: str, covered: bool) -> None:
    address = read_address(url)
    assert admits((domain,), address) is covered
    if covered:
        refuse_other_domain((domain,), address)
    else:
        with pytest.raises(Refused) as refused:
            refuse_other_domain((domain,), address)
        assert refused.value.code == "domain"


def test_names_and_numbers() -> None:
    assert [host for host in ("1.2.3.4", "::1", "a.b", "a.0x7", "a.1b") if is_number(host)] == [
        "1.2.3.4",
        "::1",
        "a.0x7",
    ]


@given(st.text(max_size=40), st.sampled_from(["", "https://", "https://example.org", "http://["]))
def test_any_text_is_an_address_or_refused(text: str, before: str) -> None:
    try:
        address = read_address(before + text)
    except Refused as refused:
        code = refused.code
    else:
        code = "url"
        assert read_address(address.url) == address
        assert address.url.isascii()
        assert not set(address.url) & set("\r\n\t \\")
    assert code in {"url", "scheme"}

"""Guardrails: limits that are numbers, and more of them where the web is asked."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from custody.pipeline.contracts.guardrails import Guardrails, read_guardrails
from support.contracts import GUARDRAILS, with_key

pytestmark = pytest.mark.req("C-01")
WEB = (
    GUARDRAILS.replace("resolver_only", "resolver_plus_web")
    + "allow_domains: docs.python.org, localhost:8000\nmax_queries: 2\nmax_pages: 4\n"
)


def codes(data: bytes) -> list[str]:
    return [finding.code for finding in read_guardrails(data).findings]


def test_everything_that_they_say() -> None:
    plain = Guardrails(max_files=20, max_total_bytes=200000, max_iterations=3)
    assert read_guardrails(GUARDRAILS.encode()).sound == plain
    web = read_guardrails(WEB.encode()).sound
    assert web == replace(
        plain,
        find_mode="resolver_plus_web",
        allow_domains=("docs.python.org", "localhost:8000"),
        max_queries=2,
        max_pages=4,
    )
    assert web.web
    assert not read_guardrails(GUARDRAILS.encode()).draft.web


@pytest.mark.parametrize("key", ["find_mode", "max_files", "max_total_bytes", "max_iterations"])
def test_what_must_be_there(key: str) -> None:
    assert codes(with_key(GUARDRAILS, key, None)) == ["missing"]


@pytest.mark.parametrize("key", ["allow_domains", "max_queries", "max_pages"])
def test_what_must_be_there_for_the_web(key: str) -> None:
    assert codes(with_key(WEB, key, None)) == ["missing"]
    assert codes(with_key(GUARDRAILS, "max_queries", "5")) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("find_mode", "web"),
        ("max_files", "many"),
        ("max_files", "0"),
        ("max_files", "-1"),
        ("max_files", "1_000"),
        ("max_files", "\u0661"),
        ("max_files", "9" * 30),
        ("max_files", ""),
        ("allow_domains", ""),
        ("allow_domains", "https://a.org/x"),
        ("allow_domains", "*.org"),
        ("allow_domains", "A.org"),
    ],
)
def test_what_is_no_such_value(key: str, value: str) -> None:
    assert codes(with_key(WEB, key, value)) == ["value"]


def test_a_key_in_other_letters() -> None:
    assert codes(GUARDRAILS.replace("max_files", "Max-Files").encode()) == ["key"]

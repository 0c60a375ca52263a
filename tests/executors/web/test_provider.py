"""Servers that are asked for pages."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from custody.errors import FetchFailed, UsageError
from custody.executors.web.provider import MOST_LINKS, HttpProvider
from custody.model.own_settings import OwnWeb
from support.web import WebServer, web_server


@pytest.fixture
def web() -> Iterator[WebServer]:
    with web_server() as server:
        yield server


def provider(web: WebServer, *domains: str, search: str = "/s?q={query}") -> HttpProvider:
    here = (web.server,)
    own = OwnWeb(search=web.url(search), plain_http=here, private=here)
    return HttpProvider(own, domains)


@pytest.mark.req("C-11")
@pytest.mark.parametrize(
    "answer",
    [
        {"results": [{"url": "https://a.example/1"}, {"title": "none"}, 7]},
        ["https://a.example/1", "javascript:alert(1)", "https://a.example/1#again"],
    ],
)
def test_a_search_answers_in_json(web: WebServer, answer: object) -> None:
    web.put("/s", json.dumps(answer), "application/json")
    assert provider(web).search("a b&c/ä") == ["https://a.example/1"]
    assert web.heads[0].startswith("GET /s?q=a%20b%26c%2F%C3%A4 ")


def test_or_with_links(web: WebServer) -> None:
    many = "".join(f'<a href="/{n}">' for n in range(500))
    web.put("/s", f'<a href="https://b.example/">b</a>{many}')
    found = provider(web).search("x")
    assert found[:2] == ["https://b.example/", web.url("/0")]
    assert len(found) == MOST_LINKS


def test_a_search_that_answers_nonsense(web: WebServer) -> None:
    web.put("/s", "{", "application/json")
    with pytest.raises(FetchFailed):
        provider(web).search("x")


@pytest.mark.req("C-11")
def test_pages_come_from_allowed_domains_alone(web: WebServer) -> None:
    web.put("/p", "page", "text/plain")
    with pytest.raises(FetchFailed) as refused:
        provider(web, "example.org").page(web.url("/p"))
    assert refused.value.code == "domain"
    assert provider(web, web.server).page(web.url("/p")).text == "page"


def test_a_search_is_led_to_no_other_server(web: WebServer) -> None:
    web.redirect("/s", "https://example.org/")
    with pytest.raises(FetchFailed) as refused:
        provider(web, "example.org").search("x")
    assert refused.value.code == "domain"


def test_without_a_search_nobody_is_asked() -> None:
    assert HttpProvider(OwnWeb(), ()).search("x") == []
    with pytest.raises(UsageError):
        HttpProvider(OwnWeb(search="no address {query}"), ())

"""Pages about a goal, within the constraints."""

from __future__ import annotations

import re

import pytest

from custody.egress.fetch import FetchedPage
from custody.errors import FetchFailed
from custody.executors.web.find import find_web, queries
from custody.pipeline.contracts.guardrails import RESOLVER_PLUS_WEB, Guardrails

RAILS = Guardrails(
    find_mode=RESOLVER_PLUS_WEB, allow_domains=("a.example",), max_queries=1, max_pages=2
)


class Shelf:
    """Pages by their address, behind the interface of a provider."""

    def __init__(self, *found: str) -> None:
        self.found = list(found)
        self.queries: list[str] = []
        self.asked: list[str] = []

    def search(self, query: str) -> list[str]:
        self.queries.append(query)
        if not self.found:
            raise FetchFailed("status", "the server says 500")
        return self.found

    def page(self, url: str) -> FetchedPage:
        self.asked.append(url)
        if url.endswith("/broken"):
            raise FetchFailed("timeout", "it took too long")
        return FetchedPage(url, "text/plain", "utf-8", f"parser at {url}".encode())


@pytest.mark.req("C-11")
def test_no_more_is_asked_than_allowed() -> None:
    shelf = Shelf(*(f"https://a.example/{n}" for n in range(9)))
    found = find_web("Repair the parser", RAILS, (), shelf)
    assert (len(shelf.queries), shelf.asked) == (1, ["https://a.example/0", "https://a.example/1"])
    assert found.document.constraints.max_pages == 2
    (first, _second) = found.document.results
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", first.fetched_at)
    assert first.why_relevant == "1 of 2 words of the goal: parser"
    assert first.excerpt == "parser at https://a.example/0"


@pytest.mark.req("C-11")
def test_pages_of_other_domains_are_not_asked_for() -> None:
    shelf = Shelf("https://evil.example/", "https://a.example.evil.example/", "https://a.example/")
    find_web("parser", RAILS, ["http://a.example/", "no address"], shelf)
    assert shelf.asked == ["http://a.example/", "https://a.example/"]


def test_pages_that_are_named_come_first() -> None:
    shelf = Shelf("https://a.example/3")
    goal = "See https://a.example/1. And (https://a.example/2), https://a.example/1"
    find_web(goal, RAILS, (), shelf)
    assert shelf.asked == ["https://a.example/1", "https://a.example/2"]


def test_what_cannot_be_read_is_told_and_counts() -> None:
    shelf = Shelf("https://a.example/broken", "https://a.example/1", "https://a.example/2")
    found = find_web("parser", RAILS, (), shelf)
    assert [result.url for result in found.document.results] == ["https://a.example/1"]
    assert found.notes == ["https://a.example/broken: timeout: it took too long"]
    assert find_web("parser", RAILS, (), Shelf()).notes == ["search: status: the server says 500"]


@pytest.mark.parametrize(
    ("goal", "asked"),
    [
        ("", []),
        ("parser", ["parser"]),
        ("Repair the tests https://a.example/", ["Repair the tests", "repair test"]),
        ("x" * 500, ["x" * 200]),
    ],
)
def test_what_a_search_is_asked(goal: str, asked: list[str]) -> None:
    assert queries(goal) == asked


def test_nothing_is_begun_when_the_time_is_over() -> None:
    shelf = Shelf("https://a.example/1")
    found = find_web("parser", RAILS, (), shelf, seconds=0.0)
    assert (shelf.asked, found.notes) == ([], ["no page was begun after 0 s"])

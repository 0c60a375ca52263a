"""Looks for pages about a goal, within the constraints of the guardrails."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from custody.checks.guards.web_address import admits, read_address
from custody.errors import FetchFailed, Refused
from custody.executors.web.excerpt import excerpt
from custody.executors.web.page import read_page
from custody.executors.web.provider import WebProvider
from custody.executors.web.risks import risk_flags
from custody.model.contracts.find_web import FIND_WEB, FindWeb, WebConstraints, WebResult
from custody.pipeline.contracts.guardrails import Guardrails
from custody.pipeline.workflows import stems

QUERY_LENGTH = 200
SECONDS = 300.0
_ADDRESS = re.compile(r"https?://[^\s<>\"'`)\]]{1,2000}")


class FoundPages(NamedTuple):
    """What was found, and what could not be read."""

    document: FindWeb
    notes: list[str]


def find_web(
    goal: str,
    rails: Guardrails,
    urls: Sequence[str],
    provider: WebProvider,
    seconds: float = SECONDS,
) -> FoundPages:
    """Return pages about a goal: those that are named, in it or beside it, then those of a search.

    No more queries are made and no more pages asked for than the guardrails allow, and none is
    begun after so many seconds.
    """
    deadline = time.monotonic() + seconds
    constraints = WebConstraints(
        allow_domains=rails.allow_domains,
        max_queries=rails.max_queries,
        max_pages=rails.max_pages,
    )
    notes: list[str] = []
    named = (*urls, *_ADDRESS.findall(goal))
    results: list[WebResult] = []
    tried: set[str] = set()
    searched = _searched(goal, constraints, provider, notes)
    for url in _admitted(chain(named, searched), constraints):
        if len(tried) >= constraints.max_pages:
            break
        if time.monotonic() >= deadline:
            notes.append(f"no page was begun after {seconds:.0f} s")
            break
        if url not in tried:
            tried.add(url)
            try:
                results.append(_result(url, goal, provider))
            except FetchFailed as failed:
                notes.append(f"{url}: {failed.code}: {failed.what}")
    document = FindWeb(schema_version=FIND_WEB, constraints=constraints, results=tuple(results))
    return FoundPages(document, notes)


def queries(goal: str) -> list[str]:
    """Return what a search is asked: the goal as it stands, then its words alone."""
    plain = " ".join(_ADDRESS.sub(" ", goal).split())[:QUERY_LENGTH].strip()
    words = " ".join(dict.fromkeys(stems(plain)))
    return [query for query in dict.fromkeys((plain, words)) if query]


def _searched(
    goal: str, constraints: WebConstraints, asked: WebProvider, notes: list[str]
) -> Iterator[str]:
    for query in queries(goal)[: constraints.max_queries]:
        try:
            yield from asked.search(query)
        except FetchFailed as failed:
            notes.append(f"search: {failed.code}: {failed.what}")


def _admitted(urls: Iterable[str], constraints: WebConstraints) -> Iterator[str]:
    """Yield the addresses that may be asked for; a search may name any others."""
    for url in urls:
        try:
            address = read_address(url.rstrip(".,;:"))
        except Refused:
            continue
        if admits(constraints.allow_domains, address):
            yield address.url


def _result(url: str, goal: str, asked: WebProvider) -> WebResult:
    page = asked.page(url)
    fetched_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    text = read_page(page)
    piece = excerpt(text, goal)
    count = len(dict.fromkeys(stems(goal)))
    words = f": {', '.join(piece.words)}" if piece.words else ""
    return WebResult(
        url=page.url,
        locator=piece.locator,
        fetched_at=fetched_at,
        excerpt=piece.text,
        why_relevant=f"{len(piece.words)} of {count} words of the goal{words}",
        risk_flags=risk_flags(page, text, goal, asked=url, relevant=bool(piece.words)),
    )

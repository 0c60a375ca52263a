"""Who is asked for pages: an interface, and servers of the web behind it.

A search is an address with ``{query}`` in it, which the user sets up. Its answer is JSON with
addresses in ``results``, or a page of links.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Protocol
from urllib.parse import quote, urljoin

from custody.checks.guards.web_address import read_address
from custody.egress.fetch import FetchedPage, FetchPolicy, fetch
from custody.errors import FetchFailed, Refused, UsageError
from custody.executors.web.page import links
from custody.model.own_settings import OwnWeb

PAGE_BYTES = 1 << 20
MOST_LINKS = 100
_QUERY = "{query}"


class WebProvider(Protocol):
    """Finds pages, and reads them."""

    def search(self, query: str) -> list[str]:
        """Return addresses of pages for a query, the best first; raises `FetchFailed`."""
        ...

    def page(self, url: str) -> FetchedPage:
        """Return a page; raises `FetchFailed`."""
        ...


class HttpProvider:
    """Asks servers of the web, as far as they are allowed."""

    def __init__(self, own: OwnWeb, domains: tuple[str, ...]) -> None:
        """Raise `UsageError` for a search that is no address."""
        self._search = own.search
        here = FetchPolicy(
            domains=domains,
            plain_http=own.plain_http,
            private=own.private,
            max_bytes=PAGE_BYTES,
        )
        self._pages = here
        self._searches = here
        if own.search:
            try:
                server = read_address(own.search.replace(_QUERY, "x"))
            except Refused as refused:
                raise UsageError(refused.what, where="web.search", hint=refused.hint) from None
            self._searches = here._replace(domains=(server.endpoint,))

    def search(self, query: str) -> list[str]:
        """Return what the search names; nothing where none is set up."""
        if not self._search:
            return []
        asked = self._search.replace(_QUERY, quote(query, safe=""))
        answer = fetch(asked, self._searches)
        found = _in_json(answer) if answer.content_type.endswith("json") else links(answer)
        return _distinct(answer.url, found)

    def page(self, url: str) -> FetchedPage:
        """Return a page of an allowed domain."""
        return fetch(url, self._pages)


def _in_json(answer: FetchedPage) -> Iterator[str]:
    try:
        said: Any = json.loads(answer.text)
    except (ValueError, RecursionError):
        raise FetchFailed("protocol", "the search answers no JSON", where=answer.url) from None
    results = said.get("results") if isinstance(said, dict) else said
    for item in results if isinstance(results, list) else ():
        url = item.get("url") if isinstance(item, dict) else item
        if isinstance(url, str):
            yield url


def _distinct(base: str, found: Iterator[str]) -> list[str]:
    """Return whole addresses, each once; what is none is left out."""
    whole: dict[str, None] = {}
    for link in found:
        if len(whole) >= MOST_LINKS:
            break
        try:
            whole[read_address(urljoin(base, link)).url] = None
        except (Refused, ValueError):
            continue
    return list(whole)

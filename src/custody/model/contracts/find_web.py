"""``artifacts/find_web.json``: what pages of the web say about a goal, with what to beware of."""

from __future__ import annotations

from typing import Literal, TypeAlias

from custody.model.contracts.file_request import Count
from custody.model.record import Record

FIND_WEB: Literal["ctcp-find-web-v1"] = "ctcp-find-web-v1"

RiskFlag: TypeAlias = Literal[
    "prompt_injection",
    "hidden_text",
    "title_mismatch",
    "goal_mismatch",
    "not_https",
    "redirected",
]


class WebConstraints(Record, frozen=True):
    """How far a search may go, as the guardrails say."""

    allow_domains: tuple[str, ...]
    max_queries: Count
    max_pages: Count


class WebLocator(Record, frozen=True):
    """Where in a page an excerpt stands."""

    type: Literal["heading", "anchor", "line_range", "offset"]
    value: str


class WebResult(Record, frozen=True):
    """One page."""

    url: str
    """Where it was read, behind all redirects."""
    locator: WebLocator
    fetched_at: str
    excerpt: str
    """Copied from the page's text; at most 25 lines and 2,000 characters."""
    why_relevant: str
    risk_flags: tuple[RiskFlag, ...]


class FindWeb(Record, frozen=True):
    """`find_web.json`: the pages that were read."""

    schema_version: Literal["ctcp-find-web-v1"]
    constraints: WebConstraints
    results: tuple[WebResult, ...]

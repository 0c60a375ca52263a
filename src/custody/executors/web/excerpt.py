"""The piece of a page that has most to do with a goal: lines as they stand, one after the other."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from custody.executors.web.page import PageText
from custody.model.contracts.find_web import WebLocator
from custody.pipeline.workflows import stems

LINES = 25
CHARACTERS = 2000
BEFORE = 2
"""Lines that are shown before the first of the words."""


class PageExcerpt(NamedTuple):
    """A piece of a page, and where it stands."""

    text: str
    locator: WebLocator
    words: tuple[str, ...]
    """The words of the goal that are in it."""


def excerpt(page: PageText, goal: str) -> PageExcerpt:
    """Return the piece with the most different words of the goal; of equals the first one.

    It begins at a heading, or some lines before one of the words, and ends before the next heading.
    """
    wanted = tuple(dict.fromkeys(stems(goal)))
    known = set(wanted)
    found = [known.intersection(stems(line)) for line in page.lines]
    headings = [heading.line for heading in page.headings]
    near = [max(line - BEFORE, 0) for line, words in enumerate(found) if words]
    best = max(
        dict.fromkeys((*headings, *near)),
        key=lambda start: (len(_words(found, start, headings)), start in headings, -start),
        default=0,
    )
    lines = _cut(page.lines[best : _end(best, headings)])
    held = set[str]().union(*found[best : best + len(lines)])
    return PageExcerpt(
        "\n".join(lines),
        _locator(page, best, len(lines)),
        tuple(word for word in wanted if word in held),
    )


def _end(start: int, headings: list[int]) -> int:
    """Return where a piece ends that begins there: soon, or at the next heading."""
    place = bisect_right(headings, start)
    return min([start + LINES, *headings[place : place + 1]])


def _words(found: list[set[str]], start: int, headings: list[int]) -> set[str]:
    return set[str]().union(*found[start : _end(start, headings)])


def _cut(lines: tuple[str, ...]) -> list[str]:
    """Return as many lines as fit; the first one is cut where it alone is too long."""
    kept, size = list[str](), 0
    for line in lines:
        size += len(line) + 1
        if size > CHARACTERS + 1:
            break
        kept.append(line)
    return kept or [line[:CHARACTERS] for line in lines[:1]]


def _locator(page: PageText, start: int, count: int) -> WebLocator:
    above = [each for each in page.headings if each.line <= start]
    heading = above[-1] if above else None
    if heading is not None and heading.anchor:
        return WebLocator(type="anchor", value=heading.anchor)
    if heading is not None:
        return WebLocator(type="heading", value=heading.text[:200])
    return WebLocator(type="line_range", value=f"{start + 1}-{start + max(count, 1)}")

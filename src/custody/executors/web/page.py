"""From what a server sent to lines of text: with headings, and with what a reader would not see.

Every look goes forward through the page, so that no page takes longer than its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from custody.egress.fetch import FetchedPage
from custody.patterns import later

HTML = frozenset({"text/html", "application/xhtml+xml"})

_TAG = later(r"(/?)([a-zA-Z][a-zA-Z0-9]*)")
_ID = later(r"""\s(?:id|name)\s*=\s*["']?([A-Za-z0-9_.:-]{1,100})""")
_UNSEEN = later(
    r"\shidden(?=[\s/=>]|\Z)|\saria-hidden\s*=\s*[\"']?true"
    r"|style\s*=[^>]*?(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0)",
    re.IGNORECASE,
)
_RAW = frozenset({"script", "style", "noscript", "template", "svg", "textarea", "iframe"})
"""Elements whose content is nobody's text."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q"),
        *("s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr"),
    )
)
"""Elements that begin no new line."""
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "area", "base", "col", "embed"})
_ATTRIBUTES_LIMIT = 2000
_NEAR = 64
"""How many open elements an end tag may belong to."""


class PageHeading(NamedTuple):
    """A heading, and where its section begins."""

    line: int
    """Counted from 0 among the lines."""
    text: str
    anchor: str = ""


class PageText(NamedTuple):
    """A page as somebody reads it."""

    lines: tuple[str, ...]
    title: str = ""
    headings: tuple[PageHeading, ...] = ()
    hidden: str = ""
    """What the page holds and does not show, comments included."""


def read_page(page: FetchedPage) -> PageText:
    """Return the text of a page."""
    if page.content_type not in HTML:
        return PageText(tuple(page.text.split("\n")))
    reading = _Reading()
    for kind, value in _pieces(page.text):
        reading.take(kind, value)
    return reading.page()


def links(page: FetchedPage) -> Iterator[str]:
    """Yield where the links of a page lead, as written."""
    found = re.finditer(r"""<a\s[^<>]{0,2000}?href\s*=\s*["']([^"'<>\s]{1,2000})""", page.text)
    return (unescape(link[1]) for link in found)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield texts, comments and tags, in order."""
    lower = text.lower()
    place = 0
    while (begin := text.find("<", place)) >= 0:
        yield "text", text[place:begin]
        if text.startswith("<!--", begin):
            end = text.find("-->", begin)
            end = len(text) if end < 0 else end
            yield "comment", text[begin + 4 : end]
            place = end + 3
            continue
        tag = _TAG.match(text, begin + 1)
        if tag is None:
            yield "text", "<"
            place = begin + 1
            continue
        end = text.find(">", begin)
        if end < 0:
            place = begin
            break
        yield "tag", text[begin + 1 : min(end, begin + _ATTRIBUTES_LIMIT)]
        place = end + 1
        name = tag[2].lower()
        if name in _RAW and not tag[1]:
            close = lower.find(f"</{name}", place)
            place = len(text) if close < 0 else close
    yield "text", text[place:]


class _Reading:
    """What was read of a page by now."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._hidden: list[str] = []
        self._title: list[str] = []
        self._headings: list[PageHeading] = []
        self._open: list[tuple[str, bool]] = []
        """Elements that have begun, and whether each is not to be seen."""
        self._unseen = 0
        self._anchor = ""

    def take(self, kind: str, value: str) -> None:
        """Take the next piece."""
        if kind == "comment":
            self._hidden.append(value)
        elif kind == "text":
            self._text(unescape(value))
        else:
            self._tag(value)

    def page(self) -> PageText:
        """Return the page when all of it was taken."""
        self._end_line()
        return PageText(
            tuple(self._lines),
            " ".join("".join(self._title).split()),
            tuple(self._headings),
            " ".join(" ".join(self._hidden).split()),
        )

    def _text(self, text: str) -> None:
        if self._open and self._open[-1][0] == "title":
            self._title.append(text)
        elif self._unseen:
            self._hidden.append(text)
        else:
            self._line.append(text)

    def _tag(self, value: str) -> None:
        tag = _TAG.match(value)
        closing, name = (tag[1], tag[2].lower()) if tag else ("", "")
        if name not in _INLINE:
            self._end_line(heading=name in _HEADINGS and bool(closing))
        if closing:
            self._close(name)
        elif name not in _VOID and not value.endswith("/"):
            unseen = _UNSEEN.search(value) is not None
            self._open.append((name, unseen))
            self._unseen += unseen
            named = _ID.search(value)
            if named is not None and (name in _HEADINGS or name == "a"):
                self._anchor = named[1]

    def _close(self, name: str) -> None:
        recent = [each for each, _ in self._open[-_NEAR:]]
        if name not in recent:
            return
        while True:
            last, unseen = self._open.pop()
            self._unseen -= unseen
            if last == name:
                return

    def _end_line(self, *, heading: bool = False) -> None:
        line = " ".join("".join(self._line).split())
        self._line.clear()
        if not line:
            return
        if heading:
            self._headings.append(PageHeading(len(self._lines), line, self._anchor))
            self._anchor = ""
        self._lines.append(line)

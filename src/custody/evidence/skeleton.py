"""Skeletons of packets: read from JSON or from Markdown, and made into packets.

In Markdown a skeleton looks as a packet's page does:

    # <title>
    ## <a claim>
    ### Evidence
    - <uri or path>
    ```
    <excerpt>
    ```
    ### Reasoning
    ### Risk and next steps
    - <one>
    ### Verification
    - `<command>`: <what must come of it>
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from custody.errors import MalformedDocument
from custody.evidence import Content
from custody.evidence.excerpt import Quote, find, lines_of, quote
from custody.evidence.source import reference_to
from custody.evidence.tail import last_lines
from custody.evidence.uri import EvidenceUri
from custody.model import layout
from custody.model.packet import Cited, Claim
from custody.model.record import decode, ready
from custody.model.reference import EXCERPT_CHARACTERS, EXCERPT_LINES
from custody.model.skeleton import Skeleton, SketchedClaim
from custody.patterns import later

_PARTS = {
    "evidence": "evidence",
    "reasoning": "reasoning",
    "risk and next steps": "risk_and_next_steps",
    "verification": "verification",
}
_HEADING = later(r"(#{1,3}) +(.+?)\s*")
_ITEM = later(r"- +(.+?)\s*")
_FENCE = later(r" *(`{3,})[A-Za-z]*\s*")
_REPEAT = later(r"`([^`]+)`(?:: *(.+))?")


def read_skeleton(data: bytes, *, where: str) -> Skeleton:
    """Return what a file claims, JSON or Markdown; raises `MalformedDocument`."""
    if data.lstrip()[:1] == b"{":
        return decode(data, Skeleton, where=where)
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as error:
        what = f"not UTF-8 at byte {error.start}"
        raise MalformedDocument("encoding", what, where=where) from None
    try:
        return msgspec.convert(_Outline(where).read(lines), ready(Skeleton))
    except msgspec.ValidationError as error:
        raise MalformedDocument("type", str(error), where=where) from None


def claim_of(number: int, sketched: SketchedClaim, cited: Iterable[Cited]) -> Claim:
    """Return a claim whose evidence was had."""
    return Claim(
        id=f"stated:{number}",
        kind="stated",
        result="stated",
        claim=sketched.claim,
        evidence=tuple(cited),
        reasoning=(),
        argument=sketched.reasoning,
        risk_and_next_steps=sketched.risk_and_next_steps,
        verification=sketched.verification,
    )


def cited(uri: EvidenceUri, content: Content, excerpt: str, *, source_id: str = "") -> Cited:
    """Return a piece of evidence that holds; raises `MalformedDocument` for a wrong quote."""
    named = reference_to(uri, content, _quoted(content.data, excerpt, uri.text))
    fields = {name: getattr(named, name) for name in named.__struct_fields__}
    if not named.excerpt:
        fields |= {"bytes": None, "lines": None}
    return Cited(**fields | {"source_id": source_id or named.source_id})


def _quoted(data: bytes, excerpt: str, where: str) -> Quote:
    if not excerpt:
        if b"\0" in data:
            return Quote(excerpt="", bytes=(0, 0), lines=(1, 1))
        name = where.rpartition("/")[0] if where.startswith("memory://docs/") else where
        return last_lines(data) if layout.is_log(name) else quote(data)
    if len(excerpt) > EXCERPT_CHARACTERS or (
        excerpt.removesuffix("\n").count("\n") >= EXCERPT_LINES
    ):
        what = f"an excerpt has at most {EXCERPT_LINES} lines and {EXCERPT_CHARACTERS} characters"
        raise MalformedDocument("excerpt", what, where=where)
    place = find(data, excerpt)
    if place is None:
        what = "the excerpt does not stand in the content"
        raise MalformedDocument("misquoted", what, where=where, hint="quote it verbatim")
    return Quote(excerpt=excerpt, bytes=place, lines=lines_of(data, *place))


class _Outline:
    """Reads the lines of a skeleton in Markdown, one after the other."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._claims: list[dict[str, Any]] = []
        self._title = ""
        self._part = ""
        self._quoted: list[str] | None = None
        self._fence = ""

    def read(self, lines: Iterable[str]) -> dict[str, Any]:
        """Return what they say."""
        number = 0
        for number, line in enumerate(lines, 1):
            if self._quoted is not None:
                self._quote(line)
            elif line.strip():
                self._line(line, number)
        if self._quoted is not None:
            raise self._wrong(number, "the last excerpt has no end")
        return {"title": self._title, "claims": self._claims}

    def _line(self, line: str, number: int) -> None:
        if heading := _HEADING.fullmatch(line):
            self._heading(len(heading[1]), heading[2], number)
        elif not self._part:
            raise self._wrong(number, "it belongs to no part of a claim")
        elif self._part == "evidence":
            self._evidence(line, number)
        elif self._part == "reasoning":
            said = self._claims[-1].get("reasoning", "")
            self._claims[-1]["reasoning"] = f"{said} {line.strip()}".strip()
        else:
            self._item(line, number)

    def _heading(self, level: int, text: str, number: int) -> None:
        self._part = ""
        if level == 1 and not self._title:
            self._title = text
        elif level == 2 and self._title:  # noqa: PLR2004 - a claim's
            self._claims.append({"claim": text, "evidence": []})
        elif level == 3 and self._claims and text.lower() in _PARTS:  # noqa: PLR2004 - a part's
            self._part = _PARTS[text.lower()]
        else:
            known = ", ".join(_PARTS)
            raise self._wrong(number, f"{text[:80]!r} is no heading that may stand here", known)

    def _evidence(self, line: str, number: int) -> None:
        found = self._claims[-1]["evidence"]
        if fence := _FENCE.fullmatch(line):
            if not found or "excerpt" in found[-1]:
                raise self._wrong(number, "an excerpt stands below no uri")
            self._quoted, self._fence = [], line[: line.index("`")] + fence[1]
        elif item := _ITEM.fullmatch(line):
            found.append({"uri": item[1].strip("`")})
        else:
            raise self._wrong(number, "evidence is `- <uri>`, with its excerpt in a fence below")

    def _quote(self, line: str) -> None:
        indent = len(self._fence) - len(self._fence.lstrip())
        if line.rstrip() == self._fence:
            self._claims[-1]["evidence"][-1]["excerpt"] = "\n".join(self._quoted or ())
            self._quoted = None
        else:
            blank = line[:indent].strip() == ""
            self._quoted = [*(self._quoted or ()), line[indent:] if blank else line]

    def _item(self, line: str, number: int) -> None:
        item = _ITEM.fullmatch(line)
        if item is None:
            raise self._wrong(number, "it is no item: `- …`")
        if self._part != "verification":
            self._claims[-1].setdefault(self._part, []).append(item[1])
            return
        repeat = _REPEAT.fullmatch(item[1])
        if repeat is None:
            raise self._wrong(number, "it is no command: - `<command>`: <what must come of it>")
        one = {"command": repeat[1], "passes": repeat[2] or "it ends with exit code 0"}
        self._claims[-1].setdefault("verification", []).append(one)

    def _wrong(self, number: int, what: str, known: str = "") -> MalformedDocument:
        where = f"{self._where}:{number}"
        return MalformedDocument("skeleton", what, where=where, hint=known and f"known: {known}")

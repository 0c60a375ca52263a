"""What a terminal is told: text without control characters, colour only where it is wanted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TextIO
from unicodedata import combining, east_asian_width

from custody.cli.result import Line, Tone
from custody.patterns import later

_UNSAFE = later(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f"  # C0 but for the tab, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # what turns the reading direction
    "\u2028\u2029\ud800-\udfff]"  # line separators, halves of characters
)
TONES: dict[Tone, str] = {
    "good": "32",
    "bad": "31",
    "warn": "33",
    "strong": "1",
    "faint": "2",
}
"""What a terminal is told for each tone."""


def visible(text: str) -> str:
    """Return ``text`` on one line, with every control character written out."""
    if text.isprintable():
        return text
    return _UNSAFE.sub(lambda found: _escape(found[0]), text)


def visible_json(text: str) -> str:
    """Return a JSON text that means the same, with every control character written out."""
    if text.isascii() and "\x7f" not in text:
        return text
    lines = text.split("\n")
    return "\n".join(_UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", line) for line in lines)


def paint(line: Line, *, enabled: bool) -> str:
    """Return the line as it is printed, with its newline."""
    text = visible(line.text)
    code = TONES.get(line.tone) if enabled else None
    return f"\x1b[{code}m{text}\x1b[0m\n" if code else f"{text}\n"


def room(stream: TextIO | None, environment: Mapping[str, str]) -> int:
    """Return how many columns there are; 0 where no terminal bounds them."""
    if stream is None or not stream.isatty():
        return 0
    given = environment.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except OSError:
        return 0


def folded(line: Line, columns: int) -> Iterator[Line]:
    """Yield the line in pieces that fit; as it is where nothing bounds it or it must stay whole.

    It is folded between words: a path longer than a line stays one that can be pasted, and so does
    a command in backticks.
    """
    text = visible(line.text)
    if not columns or line.hang is None or width(text) <= columns:
        yield line
        return
    indent = " " * min(line.hang, columns // 2)
    first, *words = _words(text.lstrip(" "))
    piece = f"{text[: len(text) - len(text.lstrip(' '))]}{first}"
    for word in words:
        longer = f"{piece} {word}"
        if width(longer) <= columns:
            piece = longer
            continue
        yield Line(piece.rstrip(" "), line.tone)
        piece = f"{indent}{word}"
    yield Line(piece, line.tone)


def _words(text: str) -> Iterator[str]:
    """Yield what stands between blanks; what is in backticks is one word."""
    word = ""
    for piece in text.split(" "):
        word = f"{word} {piece}" if word else piece
        if word.count("`") % 2 == 0:
            yield word
            word = ""
    yield from word.split(" ") if word else ()


def wants_colour(stream: TextIO | None, environment: Mapping[str, str]) -> bool:
    """Tell whether colour may be used: on a terminal, and nobody forbids it."""
    return (
        stream is not None
        and not environment.get("NO_COLOR")
        and environment.get("TERM") != "dumb"
        and stream.isatty()
    )


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()


def width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(_width_of(character) for character in text)


def cut(text: str, columns: int) -> str:
    """Return a text that fits, with an ellipsis where something was left out."""
    if width(text) <= columns:
        return text
    taken = 0
    for at, character in enumerate(text):
        taken += _width_of(character)
        if taken >= columns:
            return f"{text[:at]}…"
    return text


def _width_of(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1

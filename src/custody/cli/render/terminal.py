"""What a terminal is told: text without control characters, colour only where it is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from custody.cli.result import Line, Tone
from custody.patterns import later

_UNSAFE = later(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f"  # C0 but for the tab, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # what turns the reading direction
    "\u2028\u2029\ud800-\udfff]"  # line separators, halves of characters
)
_TONES: dict[Tone, str] = {
    "good": "32",
    "bad": "31",
    "warn": "33",
    "strong": "1",
    "faint": "2",
}


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
    code = _TONES.get(line.tone) if enabled else None
    return f"\x1b[{code}m{text}\x1b[0m\n" if code else f"{text}\n"


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

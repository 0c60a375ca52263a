"""What can be done to a journal, described in words, and how to do it.

A description names one way of tampering and the numbers it needs. One that no rule reads is an
error: a case must not pass because nothing was done.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable

Lines = list[bytes]
"""A journal, line by line, each with its newline."""
Tamper = Callable[[Lines, re.Match[str]], bytes]


def tamper(description: str, journal: bytes, other: bytes) -> bytes:
    """Return the journal after what the description says; ``other`` is another run's."""
    for pattern, change in RULES:
        if found := re.search(pattern, description, re.IGNORECASE):
            return change(journal.splitlines(keepends=True), found)
    if re.search("replaced by another run|(?:journal|log) of another run", description):
        return other
    raise AssertionError(f"nobody knows how to do this to a journal: {description!r}")


def _number(found: re.Match[str]) -> int:
    """Return the line that is meant, counted from 0; the seventh where none is named."""
    return int(next((number for number in found.groups() if number), 7)) - 1


def _flip(lines: Lines, found: re.Match[str]) -> bytes:
    """Change one byte in the middle of a line to another printable one."""
    return _flip_at(lines, _number(found))


def _flip_and_rechain(lines: Lines, found: re.Match[str]) -> bytes:
    """Change a line and make all that follow fit again."""
    _flip_at(lines, _number(found))
    return rechained(lines, _number(found) + 1)


def _renumber(lines: Lines, found: re.Match[str]) -> bytes:
    number = _number(found)
    lines[number] = lines[number].replace(b'"seq":%d,' % number, b'"seq":%d,' % (number + 1))
    return b"".join(lines)


def _break(lines: Lines, found: re.Match[str]) -> bytes:
    """Take the first brace of a line away."""
    lines[_number(found)] = lines[_number(found)][1:]
    return b"".join(lines)


def _flip_at(lines: Lines, number: int) -> bytes:
    line = bytearray(lines[number])
    middle = line.index(b'"ts":"') + 10
    line[middle] = ord("0") if line[middle] != ord("0") else ord("1")
    lines[number] = bytes(line)
    return b"".join(lines)


def _remove(lines: Lines, found: re.Match[str]) -> bytes:
    del lines[_number(found)]
    return b"".join(lines)


def _remove_and_rechain(lines: Lines, found: re.Match[str]) -> bytes:
    """Remove a line and make all that follow fit again, numbers included."""
    number = _number(found)
    del lines[number]
    return rechained(lines, number)


def rechained(lines: Lines, first: int) -> bytes:
    """Return the lines, with numbers and hashes made anew from ``first`` on."""
    for number in range(first, len(lines)):
        line = json.loads(lines[number])
        line["seq"] = number
        line["prev"] = hashlib.sha256(lines[number - 1].rstrip(b"\n")).hexdigest()
        text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
        lines[number] = text.encode() + b"\n"
    return b"".join(lines)


def _cut_tail(lines: Lines, found: re.Match[str]) -> bytes:
    return b"".join(lines[: -int(found[1])])


def _tear(lines: Lines, _: re.Match[str]) -> bytes:
    return b"".join(lines[:-1]) + lines[-1][: len(lines[-1]) // 2]


def _tear_newline(lines: Lines, _: re.Match[str]) -> bytes:
    return b"".join(lines)[:-1]


def _swap(lines: Lines, found: re.Match[str]) -> bytes:
    first = _number(found)
    lines[first], lines[first + 1] = lines[first + 1], lines[first]
    return b"".join(lines)


def _double(lines: Lines, found: re.Match[str]) -> bytes:
    number = _number(found)
    lines.insert(number, lines[number])
    return b"".join(lines)


def _forge(lines: Lines, _: re.Match[str]) -> bytes:
    """Add a line that fits, and was never written."""
    lines.append(lines[1])
    return rechained(lines, len(lines) - 1)


def _holes(lines: Lines, _: re.Match[str]) -> bytes:
    """Leave the last line's place but not its bytes, as a file system may after a crash."""
    return b"".join(lines[:-1]) + bytes(len(lines[-1]))


RULES: tuple[tuple[str, Tamper], ...] = (
    (r"line (\d+) removed(?!.*not rechained).*rechained", _remove_and_rechain),
    (r"line (\d+) (?:changed|edited)(?!.*not rechained).*rechained", _flip_and_rechain),
    (r"line inserted (?:after|behind) line (\d+)", _double),
    (r"(?:timestamp|ts|byte|bytes) (?:changed |flipped )?(?:in|of) line (\d+)", _flip),
    (r"seq of line (\d+)|line (\d+) renumbered", _renumber),
    (r"line (\d+) is (?:not|no) JSON", _break),
    (r"changed in the last line", lambda lines, _: _flip_at(lines, -1)),
    (r"garbage(?: bytes)? (?:after|behind)", lambda ls, _: b"".join(ls) + b"\xff\xfe{garbage"),
    (r"line (\d+) removed|line (\d+) dropped", _remove),
    (r"first line removed|genesis removed", lambda lines, _: b"".join(lines[1:])),
    (r"one byte changed in line (\d+)|byte flipped in line (\d+)", _flip),
    (r"last (\d+) lines? removed", _cut_tail),
    (r"last line cut in the middle|half a last line", _tear),
    (r"last newline missing|without its newline", _tear_newline),
    (r"(?:zeros|NULs?|NUL bytes) (?:after|behind)", lambda ls, _: b"".join(ls) + bytes(4096)),
    (r"zeros|NUL|holes", _holes),
    (r"lines? (\d+) swapped|two lines swapped|lines reordered", _swap),
    (r"line (\d+) (?:doubled|duplicated|twice)|line (?:doubled|duplicated|twice)", _double),
    (r"\bempty\b|truncated to (?:nothing|zero)|\b0 bytes", lambda _lines, _found: b""),
    (r"CRLF|\\r\\n", lambda lines, _: b"".join(lines).replace(b"\n", b"\r\n")),
    (r"byte.order mark|BOM", lambda lines, _: b"\xef\xbb\xbf" + b"".join(lines)),
    (r"blank line", lambda lines, _: b"".join([*lines[:6], b"\n", *lines[6:]])),
    (r"blanks? added", lambda lines, _: b"".join(lines).replace(b'"seq":6,', b'"seq": 6,')),
    (r"forged line appended|line appended.*chained", _forge),
    (r"appended", lambda lines, _: b"".join([*lines, lines[-1]])),
)

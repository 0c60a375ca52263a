r"""The words of a shell's text, as far as they can be known before a shell reads it.

`shell_words` takes quotes away, reads backslashes and ``$'…'`` escapes, and spells out brace
expansions, so that ``.\./x``, ``$'\x2e./x'`` and ``{/,}etc`` come out as what they mean. It
knows no variables and runs nothing. Any text is accepted: an unclosed quote ends with the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

ALTERNATIVES = 256
"""How many words a brace expansion may give."""

GLOB = "\ue000\ue001\ue002\ue003"
"""Stand for ``*``, ``?``, ``[`` and ``]`` that are not quoted."""
_OPEN, _COMMA, _CLOSE = "\ue004\ue005\ue006"
"""Stand for ``{``, ``,`` and ``}`` that are not quoted."""
_UNQUOTED = str.maketrans("*?[]{,}", GLOB + _OPEN + _COMMA + _CLOSE)
_QUOTED = str.maketrans(dict.fromkeys(GLOB + _OPEN + _COMMA + _CLOSE))
_AS_WRITTEN = str.maketrans(_OPEN + _COMMA + _CLOSE, "{,}")

_PIECE = re.compile(
    r"""(?P<end>[\s;&|()<>`]+)
    | \$'(?P<escaped>(?:[^'\\]|\\.)*)(?:'|\Z)
    | \$?"(?P<double>(?:[^"\\]|\\.)*)(?:"|\Z)
    | '(?P<single>[^']*)(?:'|\Z)
    | \\(?P<character>.|\Z)
    | (?P<plain>[^\s;&|()<>`$"'\\]+|\$)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:x(?P<hex>[0-9A-Fa-f]{1,2})|u(?P<u>[0-9A-Fa-f]{1,4})|U(?P<U>[0-9A-Fa-f]{1,8})"
    r"|(?P<octal>[0-7]{1,3})|c(?P<control>.)|(?P<other>.))",
    re.DOTALL,
)
_INNERMOST = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")


class TooManyWords(ValueError):
    """A brace expansion gives more words than anyone would write out."""


def shell_words(text: str) -> Iterator[str]:
    """Yield each word that the text may give; raises `TooManyWords`.

    Quoted blanks stay in the word. ``*``, ``?``, ``[`` and ``]`` outside quotes come
    as the characters of `GLOB`.
    """
    for word in _words(text):
        for spelled in _spelled_out(word):
            yield spelled.translate(_AS_WRITTEN)


def _words(text: str) -> Iterator[str]:
    word: list[str] = []
    for piece in _PIECE.finditer(text):
        if piece["end"] is None:
            word.append(_meaning(piece))
        elif word:
            yield "".join(word)
            word = []
    if word:
        yield "".join(word)


def _meaning(piece: re.Match[str]) -> str:
    if (plain := piece["plain"]) is not None:
        return plain.translate(_QUOTED).translate(_UNQUOTED)
    if (escaped := piece["escaped"]) is not None:
        return _ESCAPE.sub(_unescaped, escaped).translate(_QUOTED)
    if (double := piece["double"]) is not None:
        return re.sub(r'\\([$`"\\])', r"\1", double.replace("\\\n", "")).translate(_QUOTED)
    literal = piece["single"] if piece["single"] is not None else piece["character"]
    return "" if literal == "\n" else literal.translate(_QUOTED)


def _unescaped(escape: re.Match[str]) -> str:
    number = escape["hex"] or escape["u"] or escape["U"]
    if number:
        code = int(number, 16)
        return chr(code) if code < 0x110000 else ""  # noqa: PLR2004
    if escape["octal"]:
        return chr(int(escape["octal"], 8) & 0xFF)
    return escape["other"] or ""


def _spelled_out(word: str) -> list[str]:
    """Return every word that the braces of ``word`` give, innermost braces first."""
    done: list[str] = []
    waiting = [word]
    while waiting:
        if len(waiting) + len(done) > ALTERNATIVES:
            raise TooManyWords
        current = waiting.pop()
        found = _INNERMOST.search(current)
        if found is None:
            done.append(current)
            continue
        parts = found[1].split(_COMMA)
        if len(parts) == 1:  # braces around one word, or around a range of letters or numbers
            parts = ["{" + found[1] + "}"]
        waiting.extend(current[: found.start()] + part + current[found.end() :] for part in parts)
    return done

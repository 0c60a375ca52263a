r"""The words of a shell's text, as far as they can be known before a shell reads it.

`shell_words` takes quotes away, reads backslashes and ``$'…'`` escapes, and spells out brace
expansions, so that ``.\./x``, ``$'\x2e./x'`` and ``{/,}etc`` come out as what they mean. A word
that still holds quotes or backslashes may be text for another shell (``sh -c``, ``eval``) and
is read again. It knows no variables and runs nothing. An unclosed quote ends with the text.
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
DOLLAR = "\ue007"
"""Stands for a ``$`` that a shell would leave alone."""
NOTHING = "${_}"
"""Stands for a command substitution that gives nothing."""
_NESTING = 12
"""How many shells may read one text after another, and how deep substitutions may be nested."""
_WORDS = 4000
"""How many words may have to be read again."""
_LINES = 200
"""How many places there may be at which no quote need be open."""
_UNQUOTED = str.maketrans("*?[]{,}", GLOB + _OPEN + _COMMA + _CLOSE)
_QUOTED = str.maketrans(dict.fromkeys(GLOB + _OPEN + _COMMA + _CLOSE + DOLLAR))
_LITERAL = {**_QUOTED, ord("$"): DOLLAR}
_AS_WRITTEN = str.maketrans(_OPEN + _COMMA + _CLOSE, "{,}")
_PLAIN = str.maketrans(GLOB + _OPEN + _COMMA + _CLOSE + DOLLAR, "*?[]{,}$")
_NESTED = re.compile(r"[\\'\"]")

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
_SUBSTITUTION = re.compile(r"\$\([^()`]*\)")
_BACKTICKS = re.compile("`[^`]*`")
_INNER = re.compile(r"\$\(")
_RESTART = re.compile(r"\$\(|\n")
_NAME = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_IN_DOUBLE = re.compile(r'\\([$`"\\\n])')
_INNERMOST = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")


_EXPANDS_BRACES = re.compile(r"(?:\A|[\s;&|(`/'\"])(?:[a-z]*sh|eval)\s")
"""Where a shell is named that may read what stands in quotes."""


class TooManyWords(ValueError):
    """The text gives more words than anyone would write out."""


def shell_words(text: str) -> Iterator[str]:
    """Yield each word that the text may give; raises `TooManyWords`.

    Quoted blanks stay in the word. ``*``, ``?``, ``[`` and ``]`` outside quotes come
    as the characters of `GLOB`, and a quoted ``$`` as `DOLLAR`.
    """
    for reading in _readings(text):
        for word in _words(reading):
            for spelled in _spelled_out(word):
                yield spelled.translate(_AS_WRITTEN)
            yield from _read_again(word, braces=_EXPANDS_BRACES.search(text) is not None)


def _readings(text: str) -> Iterator[str]:
    """Yield the text, and what is left when nothing is printed, from wherever a shell begins."""
    for _ in range(_NESTING + 1):
        for start in _beginnings(text):
            yield text[start:]
        shorter = _SUBSTITUTION.sub(NOTHING, text)
        if shorter == text:
            shorter = _BACKTICKS.sub(NOTHING, text)
        if shorter == text:
            return
        text = shorter
    raise TooManyWords


def _beginnings(text: str) -> list[int]:
    """Return where a shell may begin to read with no quote open.

    A comment and a here-document may hold quotes that are none, up to the end of a line, and
    within a substitution everything begins anew.
    """
    anew = _RESTART if "#" in text or "<<" in text else _INNER
    found = [0, *(match.end() for match in anew.finditer(text))]
    if len(found) > _LINES:
        raise TooManyWords
    return found


def _read_again(word: str, *, braces: bool) -> Iterator[str]:
    """Yield what further shells would make of a word, as long as there is something to unquote.

    Patterns are left as they are, and so are braces where no shell is named that would read
    them: in quotes they are most often something else.
    """
    waiting = [word]
    for _ in range(_NESTING):
        plain = [one.translate(_PLAIN) for one in waiting]
        if braces:
            spelled = (s for one in plain for again in _words(one) for s in _spelled_out(again))
            yield from (one.translate(_PLAIN).replace("$", DOLLAR) for one in spelled)
        waiting = [
            again
            for one in plain
            if _NESTED.search(one)
            for start in _beginnings(one)
            for again in _words(one[start:])
        ]
        if not waiting:
            return
        if len(waiting) > _WORDS:
            break
        yield from (again.translate(_PLAIN).replace("$", DOLLAR) for again in waiting)
    raise TooManyWords


def _words(text: str) -> Iterator[str]:
    word: list[str] = []
    text = _NAME.sub(r"${\1}", text)  # where a name ends is lost with the quotes
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
        return _ESCAPE.sub(_unescaped, escaped).translate(_LITERAL)
    if (double := piece["double"]) is not None:
        return _IN_DOUBLE.sub(_after_backslash, double.translate(_QUOTED))
    literal = piece["single"] if piece["single"] is not None else piece["character"]
    return "" if literal == "\n" else literal.translate(_LITERAL)


def _after_backslash(escape: re.Match[str]) -> str:
    return {"\n": "", "$": DOLLAR}.get(escape[1], escape[1])


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

"""Taking secrets out of text before it is hashed, written or told.

Two kinds are known: the exact values of secret variables, however they are spelt, and what
looks like a secret by a published format. Each is replaced by ``[redacted:NAME]``. Digests and
commit ids stay: they are evidence. All of this is pure; nothing is remembered between calls,
except by a `StreamRedactor`, which holds back what may be the beginning of a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

from custody.checks.guards.encodings import spellings
from custody.checks.guards.secret_patterns import (
    BY_KEYWORD,
    CHARACTERS,
    HEADS,
    LONGEST,
    PATTERNS,
    SHORT,
    Pattern,
    all_triples,
    triples,
)

SHORTEST = 8
"""Characters of the shortest value that is taken for a secret by its variable's name."""
OVERLAP = 4096
"""Bytes of a long line that are held back, at least: no secret is longer."""
LONG_LINE = 32 * 1024
"""Bytes after which a line is taken in parts, and a key that does not end as text."""
FEW = 400
"""Characters up to which a text is asked, at each of its places, which keywords begin there."""
MANY = 4096
"""Characters from which on a text is not searched for every keyword."""
MANY_WORDS = 100
"""Keywords from which on searching for each takes longer than gathering a text's triples."""

_SECRET_PARTS = (
    "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "COOKIE", "KEY",
)  # fmt: skip
_SECRET_WORDS = frozenset({"PASS", "PWD", "PAT", "DSN", "AUTH"})
_HARMLESS_PARTS = ("KEYBOARD", "KEYMAP", "KEYRING")
_HARMLESS_ENDS = ("_FILE", "_PATH", "_DIR", "_SOCK", "_PARALLELISM")
_FLAG = (
    r"(?is)--?(?:[a-z0-9]+[-_])*(?:token|secret|password|passwd|passphrase|api[-_]?key|"
    r"access[-_]?key|private[-_]?key|credentials?)(?:=(.+))?"
)
_MARKER = r"\[redacted:([A-Za-z0-9_.-]+)\]"
_ODD = r"[^A-Za-z0-9_.-]"
_WORD_ENDS = r"\.|(?<=[a-z0-9])(?=[A-Z])"
_KEY_BEGINS = b"-----BEGIN "
_KEY_ENDS = b"-----END "

Span = tuple[int, int, str]


def secret_values(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables whose names say that their values are secrets."""
    return {
        name: value
        for name, value in environment.items()
        if len(value) >= SHORTEST and _is_secret(name.upper())
    }


def redactor_for(environment: Mapping[str, str]) -> Redactor:
    """Return the redactor that knows the secrets of an environment."""
    return _made(tuple(secret_values(environment).items()))


def _is_secret(name: str) -> bool:
    if name == "PWD" or name.endswith(_HARMLESS_ENDS):
        return False
    if any(part in name for part in _SECRET_PARTS):
        return not any(part in name for part in _HARMLESS_PARTS)
    return not _SECRET_WORDS.isdisjoint(name.split("_"))


# BEHAVIOR_ID: B013
class Redactor:
    """Knows some values and every published format."""

    def __init__(self, known: Mapping[str, str]) -> None:
        spelt: dict[str, str] = {}
        for name, value in known.items():
            for part in (value, *value.splitlines()):
                if len(part.strip()) >= SHORTEST:
                    for spelling in spellings(part.strip()):
                        spelt.setdefault(spelling, _compiled(_ODD).sub("_", name) or "value")
        self._known = tuple(sorted(spelt.items(), key=lambda item: (-len(item[0]), item)))
        self._names = {*spelt.values(), "value", *(row.name for row in PATTERNS)}
        self.overlap = max(OVERLAP, *(len(spelling) + 4 for spelling in spelt), LONGEST + 512)
        """No secret is longer, but for a key in PEM."""

    def redact(self, text: str) -> tuple[str, int]:
        """Return the text without its secrets, and how many there were."""
        if text.isascii():
            return self._clean(text)
        raw = text.encode("utf-8", "surrogatepass").decode("latin-1")
        cleaned, count = self._clean(raw)
        if not count:
            return text, 0
        return cleaned.encode("latin-1").decode("utf-8", "replace"), count

    def redact_bytes(self, data: bytes) -> tuple[bytes, int]:
        """Do the same for bytes, text or not."""
        cleaned, count = self._clean(data.decode("latin-1"))
        return (cleaned.encode("latin-1"), count) if count else (data, 0)

    def redact_argv(self, argv: Sequence[str]) -> tuple[tuple[str, ...], int]:
        """Do the same for the words of a command: a flag's value is secret by the flag's name."""
        words: list[str] = []
        total, secret_next = 0, False
        marker = _compiled(_MARKER)
        for word in argv:
            cleaned, count = self.redact(word)
            flag = _compiled(_FLAG).fullmatch(word)
            if secret_next and not word.startswith("--") and not marker.fullmatch(word):
                cleaned, count = "[redacted:flag]", 1
            elif flag and flag[1] and not marker.fullmatch(flag[1]):
                cleaned, count = f"{word[: flag.start(1)]}[redacted:flag]", 1
            secret_next = bool(flag and flag[1] is None)
            words.append(cleaned)
            total += count
        return tuple(words), total

    def redact_setting(self, name: str, value: str) -> tuple[str, int]:
        """Do the same for a value that was given a name: it is secret by its name as well."""
        flag = f"--{_compiled(_WORD_ENDS).sub('_', name)}="
        ((word,), count) = self.redact_argv((flag + value,))
        if word.startswith(flag):
            return word.removeprefix(flag), count
        return self.redact(value)

    def spans(self, raw: str) -> list[Span]:
        """Return where the secrets of a latin-1 text are, in order and apart from each other."""
        found: list[Span] = []
        for start, end in self._open_parts(raw):
            part = raw[start:end]
            found += [(start + a, start + b, name) for a, b, name in self._matches(part)]
        return _merged(found)

    def _clean(self, raw: str) -> tuple[str, int]:
        """Replace until nothing is left to replace, so that doing it again changes nothing."""
        total = 0
        while spans := self.spans(raw):
            pieces, at = [], 0
            for start, end, name in spans:
                pieces += [raw[at:start], f"[redacted:{name}]"]
                at = end
            raw = "".join([*pieces, raw[at:]])
            total += len(spans)
        return raw, total

    def _open_parts(self, raw: str) -> Iterator[tuple[int, int]]:
        """Yield the parts between what has been redacted already."""
        at = 0
        if "[redacted:" in raw:
            for marker in _compiled(_MARKER).finditer(raw):
                if marker[1] in self._names:
                    yield at, marker.start()
                    at = marker.end()
        yield at, len(raw)

    def _matches(self, part: str) -> Iterator[Span]:
        for spelling, name in self._known:
            at = part.find(spelling)
            while at >= 0:
                yield at, at + len(spelling), name
                at = part.find(spelling, at + 1)
        lowered = part.lower()
        for word in _possible(lowered):
            if word in lowered:
                for row in BY_KEYWORD[word]:
                    yield from _looks_like(row, word, part, lowered)


class StreamRedactor:
    """Redacts bytes that arrive in pieces; what it returns is what the whole would have given.

    Whole lines are let through, a line that does not end in overlapping parts, a key in PEM as a
    whole. It holds back at most about `LONG_LINE` bytes.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self.held = b""
        """What waits for more."""
        self.count = 0
        """How many secrets were replaced by now."""

    def feed(self, data: bytes) -> bytes:
        """Take the next piece; return what can be let through."""
        self.held += data
        cut = self._safe_cut()
        let, self.held = self.held[:cut], self.held[cut:]
        return self._clean(let)

    def finish(self) -> bytes:
        """Return what was held back: there is no more to come."""
        let, self.held = self.held, b""
        return self._clean(let)

    def _clean(self, data: bytes) -> bytes:
        if not data:
            return data
        cleaned, count = self._redactor.redact_bytes(data)
        self.count += count
        return cleaned

    def _safe_cut(self) -> int:
        """Return how much of what is held cannot be part of a secret that goes on."""
        held = self.held
        line = held.rfind(b"\n") + 1
        if len(held) - line > LONG_LINE:
            line = self._between_matches(len(held) - self._redactor.overlap)
        begins = held.rfind(_KEY_BEGINS, 0, line)
        if begins < 0 or held.find(_KEY_ENDS, begins, line) >= 0:
            return line
        start = held.rfind(b"\n", 0, begins) + 1
        return start if len(held) - start <= LONG_LINE else line

    def _between_matches(self, cut: int) -> int:
        for start, end, _ in self._redactor.spans(self.held.decode("latin-1")):
            if start < cut < end:
                return end if end < len(self.held) else start
        return cut


def _possible(lowered: str) -> Iterable[str]:
    """Return the keywords that a text may hold.

    A short one is asked what begins at each of its places. A long one is asked for the keywords'
    characters first, which takes hardly any time and is enough for numbers, digests and rows of
    one sign; then, if many are left, for its triples.
    """
    if len(lowered) < FEW:
        begun = HEADS.keys() & zip(lowered, lowered[1:], lowered[2:], strict=False)
        return (*SHORT, *(word for head in begun for word in HEADS[head]))
    if len(lowered) < MANY:
        return BY_KEYWORD
    missing = {character for character in CHARACTERS if character not in lowered}
    words = [word for word in BY_KEYWORD if missing.isdisjoint(word)]
    if len(words) < MANY_WORDS:
        return words
    there = triples(lowered)
    needed = all_triples()
    return (word for word in words if needed[word] <= there)


def _looks_like(row: Pattern, word: str, part: str, lowered: str) -> Iterator[Span]:
    """Yield what a pattern finds in the lines that hold its keyword."""
    pattern = _compiled(row.pattern)
    at = lowered.find(word)
    while at >= 0:
        start = part.rfind("\n", 0, at) + 1
        end = len(part) if row.several_lines else part.find("\n", at) % (len(part) + 1)
        for match in pattern.finditer(part, start, end):
            group = match.lastindex or 0
            yield match.start(group), match.end(group), row.name
        at = lowered.find(word, end)


@lru_cache(maxsize=8)
def _made(known: tuple[tuple[str, str], ...]) -> Redactor:
    return Redactor(dict(known))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _merged(found: list[Span]) -> list[Span]:
    """Return spans that do not touch one another's inside; the first and longest names them."""
    merged: list[Span] = []
    for start, end, name in sorted(found, key=lambda span: (span[0], -span[1], span[2])):
        if merged and start < merged[-1][1]:
            first, last, kept = merged[-1]
            merged[-1] = (first, max(last, end), kept)
        else:
            merged.append((start, end, name))
    return merged

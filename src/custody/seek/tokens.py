"""Words of texts and of code: identifiers come apart, and the endings of English words go.

``wait_seconds`` has the words ``wait`` and ``second``, and ``retries``, ``retried`` and
``retrying`` are ``retry``. A name of several parts is a word as a whole as well, so that it is
found before what only has the same parts: ``waitseconds``, whether it is written with an
underscore, a hyphen or a capital, and ``policy.py`` and ``3.12`` with their dots. Scripts without
blanks are read by pairs of characters. A single letter or digit is no word.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from custody.patterns import later

VERSION = "words-2"
"""Part of an index's stamp: a change of what a text's words are raises it."""
LONGEST = 64
"""Characters of a word; what is longer is cut."""
_SHORT = 3
"""Characters of a word that has no ending."""

_NAME = later(r"\w+(?:[-.]\w+)*")
"""Identifiers, as hyphens and dots put them together."""
_IDENTIFIER = later(r"\w+")
_PART = later(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+|[^\W_a-zA-Z0-9]+")
_UNSPACED = later(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)
_HEX = later(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,}")
_VOWEL = later(r"[aeiouy]")


def words(text: str) -> list[str]:
    """Return the words of a text, in its order."""
    found: list[str] = []
    for name in _NAME.findall(text):
        found += _composed(name) if "." in name or "-" in name else parts(name)
    return found


@lru_cache(maxsize=1 << 16)
def parts(identifier: str) -> tuple[str, ...]:
    """Return the words of an identifier: its parts, and itself where it has several."""
    if not identifier.isascii():
        return tuple(_other_parts(unicodedata.normalize("NFKC", identifier)))
    if _HEX.fullmatch(identifier):
        return (identifier[:LONGEST],)
    pieces = _PART.findall(identifier)
    found = [_word(part) for part in pieces if len(part) > 1]
    return (*found, *_whole(identifier)) if len(pieces) > 1 else tuple(found)


@lru_cache(maxsize=1 << 16)
def _composed(name: str) -> tuple[str, ...]:
    """Return the words of several identifiers with hyphens and dots between them."""
    found = [word for identifier in _IDENTIFIER.findall(name) for word in parts(identifier)]
    return (*found, *_whole(name)) if name.isascii() else tuple(found)


def stem(word: str) -> str:
    """Return an English word without its ending; a stem is its own stem."""
    while (shorter := _shorter(word)) != word:
        word = shorter
    return word


def _whole(name: str) -> tuple[str, ...]:
    """Return a name as one word, however its parts are put together."""
    whole = name.replace("_", "").replace("-", "")[:LONGEST].lower()
    return (whole,) if len(whole) > 1 else ()


def _word(part: str) -> str:
    word = part[:LONGEST].lower()
    return stem(word) if word.isalpha() else word


def _other_parts(text: str) -> list[str]:
    found: list[str] = []
    at = 0
    for run in _UNSPACED.finditer(text):
        found += _cased(text[at : run.start()])
        pairs = run[0]
        found += [pairs[i : i + 2] for i in range(max(1, len(pairs) - 1))]
        at = run.end()
    return found + _cased(text[at:])


def _cased(text: str) -> list[str]:
    """Return the words of a text in letters that have cases, or of one in ASCII."""
    found: list[str] = []
    for identifier in _IDENTIFIER.findall(text.casefold() if not text.isascii() else text):
        if identifier.isascii():
            found += parts(identifier)
        else:
            found += [piece[:LONGEST] for piece in identifier.split("_") if len(piece) > 1]
    return found


def _shorter(word: str) -> str:
    """Return a word without one ending."""
    if len(word) <= _SHORT:
        return word
    if word.endswith(("ies", "ied")) and len(word) > _SHORT + 1:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and word[-2] not in "sui":
        return word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= _SHORT and base[-1] != "e" and _VOWEL.search(base):
            doubled = base[-1] == base[-2] and base[-1] not in "lsz"
            return base[:-1] if doubled else base
    return word.removesuffix("e")

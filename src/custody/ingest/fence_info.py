"""What the opening line of a fence says after its marks, and what is wrong with it.

One form is accepted: ``<lang> file=<relative_path>``, with one blank between. The first rule that
another text breaks gives the reason; `custody.ingest.fence_reasons` lists them.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

LONGEST_INFO: Final = 8192
"""Bytes of the longest text that is looked at; a path has at most 1024."""

_ACCEPTED = re.compile(rb"([A-Za-z0-9_+.-]+) file=([^\s\"'`\x00-\x1f\x7f-\xff]+)")
"""Most openings; the others are looked at rule by rule."""
_LANG = re.compile(rb"[A-Za-z0-9_+.-]+")
_KEY = re.compile(rb"([A-Za-z0-9_.-]+)[=:]")
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
_WORD = re.compile(rb"[^ \t]+")
_FILE = b"file="
_QUOTES = "\"'`“”„‘’‚«»‹›"  # noqa: RUF001 - those that wrap a name in some language


class Info(NamedTuple):
    """The text after the marks of an opening line."""

    lang: str
    path: str
    """As written; bytes that are not UTF-8 as lone surrogates. Empty when no file is named."""
    reason: str = ""
    """The rule it breaks; empty when it has the accepted form."""


def read_info(text: bytes) -> Info:
    """Return what ``text`` says; it is at most `LONGEST_INFO` bytes and holds no newline."""
    if accepted := _ACCEPTED.fullmatch(text):
        return Info(accepted[1].decode(), accepted[2].decode())
    words = _WORD.findall(text)
    lang, path = _as_written(words)
    return Info(lang, path, _broken_rule(text, words, path))


def names_a_file(text: bytes) -> bool:
    """Whether somebody may have meant ``text`` to name a file."""
    return _FILE in text


def _as_written(words: list[bytes]) -> tuple[str, str]:
    """Return the language and the path, as far as they can be told apart."""
    lang = words[0] if words and not words[0].startswith(_FILE) else b""
    path = next((word[len(_FILE) :] for word in words if word.startswith(_FILE)), b"")
    return lang.decode("utf-8", "surrogateescape"), path.decode("utf-8", "surrogateescape")


def _broken_rule(text: bytes, words: list[bytes], path: str) -> str:
    if _CONTROL.search(text.decode("utf-8", "replace")):
        return "control"
    if words and words[0].startswith(_FILE):
        return "no_lang"
    named = [word.startswith(_FILE) for word in words[1:]]
    if not any(named):
        return _without_file(text, words)
    if _LANG.fullmatch(words[0]) is None:
        return "bad_lang"
    if not named[0]:
        return "extra_attribute" if _KEY.match(words[1]) else "malformed"
    return _broken_path(text, path, words[2:])


def _without_file(text: bytes, words: list[bytes]) -> str:
    if any(_KEY.match(word) for word in words[1:]):
        return "bad_key"
    return "malformed" if names_a_file(text) else "no_file"


def _broken_path(text: bytes, path: str, more: list[bytes]) -> str:
    if path.startswith(tuple(_QUOTES)) or path.endswith(tuple(_QUOTES)):
        return "quoted"
    if any(b"=" in word for word in more):
        return "extra_attribute"
    if more or any(character.isspace() for character in path):
        return "whitespace"
    if not path:
        return "empty_path"
    plain = b"%s %s%s" % (text.split(b" ", 1)[0], _FILE, path.encode("utf-8", "surrogateescape"))
    return "" if plain == text else "malformed"

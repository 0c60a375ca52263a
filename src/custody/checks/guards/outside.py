"""Find the part of a shell's word that names a place outside the workspace.

Which parts are meant is said in `custody.checks.guards.tool_command`.
"""

from __future__ import annotations

import re

from custody.checks.guards.shell_text import DOLLAR, GLOB

_FILE_URL = re.compile(r"\bfile:/", re.IGNORECASE)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s\"'`/,][^\s\"'`,]*", re.IGNORECASE)
_BEFORE = r"(?:\A|(?<=[\s\"'`=:,@(\[{;|&]))"
_TILDE = re.compile(rf"{_BEFORE}(?<!\A=)~(?![\s=])")
_HOME = re.compile(r"\$\{?(?:HOME|OLDPWD)\b")
_TOP = r"(?:bin|boot|dev|etc|home|lib|lib64|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var)\b"
_CLUSTER = rf"-(?:[a-z]{{2,3}}|i?include|isystem|isysroot|iquote|idirafter)/(?:{_TOP}|\Z)"
_ABSOLUTE = re.compile(rf"{_BEFORE}(?:(?:-[A-Za-z])?/|{_CLUSTER})|[<>]/[^/\s<>]+/")
_BOUNDARY = re.compile(r"[\s\"'`=:,@()\[\]{};|&]+")
_OPTION_LETTER = re.compile(r"-[A-Za-z](?=\.\.(?:/|\Z))")
_DEFAULT = re.compile(rf"\$\{{\w+:?[-+?{GLOB}]")
_VARIABLE = re.compile(r"\$\{[^}]*\}|\$[A-Za-z_][A-Za-z0-9_]*|\$[0-9@*#?!$-]")
_FIRST = re.compile(rf"{_BEFORE}(?:\$(?:\{{(\w+|[@*])\}}|([A-Za-z_]\w*|[0-9@*])))+(?=/)")
_BESIDE = re.compile(r"\$\{PWD(?:\}(?![/\s\"'`:,;|&]|\Z)|[^}\w])")
_ANOTHER_SHELL = re.compile(r"(?:\A|[\s;&|(`/])(?:[a-z]*sh|eval)\s")
"""Where one is started, a quoted ``$`` may be meant for it."""
_INSIDE = frozenset({"PWD", "TMPDIR"})
"""Variables that every command finds set, to places where it may write."""
_DOT_PATTERN = re.compile(rf"\.[^{GLOB}]*[{GLOB}]")
_PATTERN = str.maketrans(GLOB + DOLLAR, "*?[]$")
_DOLLAR = str.maketrans(DOLLAR, "$")


def way_out(word: str, text: str = "") -> str:
    """Return what is wrong with a word of `shell_words`; empty when it stays inside.

    Of the whole ``text`` only the names that it gives values to are looked at.
    """
    plain = word.translate(_DOLLAR)
    if _begins_with_nothing(plain if _ANOTHER_SHELL.search(text) else word, text):
        return "is an absolute path, unless something gives its variable a value"
    if _BESIDE.search(plain):
        return "names something beside the workspace"
    word = _DEFAULT.sub("${x=", plain)
    if _TILDE.search(word) or _HOME.search(word):
        return "names a home directory"
    if _FILE_URL.search(word) or _ABSOLUTE.search(_URL.sub("", word)):
        return "holds an absolute path"
    if _climbs(word) or _climbs(_VARIABLE.sub("", word)):
        return "holds a .. component"
    return ""


def _begins_with_nothing(word: str, text: str) -> bool:
    """Whether a ``/`` follows variables none of which the text gives a value."""
    for first in _FIRST.finditer(word):
        names = _VARIABLE.findall(first[0])
        if not any(_has_value(name.strip("${}"), text) for name in names):
            return True
    return False


def _has_value(name: str, text: str) -> bool:
    if name in _INSIDE:
        return True
    if not name.isidentifier():
        return re.search(r"\bset\s|\(\)|\bfunction\b", text) is not None
    given = rf"\b{name}\+?=(?!\Z|[\s;&|)]|\"\"|'')|\b(?:for|read|local)\b[^;\n]*\b{name}\b"
    return re.search(given, text) is not None


def as_written(word: str) -> str:
    """Return a word of `shell_words` for a message."""
    return word.translate(_PATTERN)


def _climbs(word: str) -> bool:
    return any(
        _means_parent(component)
        for part in _BOUNDARY.split(word)
        for component in _OPTION_LETTER.sub("", part).split("/")
    )


def _means_parent(component: str) -> bool:
    if component == "..":
        return True
    if not _DOT_PATTERN.match(component):
        return False
    from fnmatch import fnmatchcase

    return fnmatchcase("..", component.translate(_PATTERN))

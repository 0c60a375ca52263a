"""Find the part of a shell's word that names a place outside the workspace.

Which parts are meant is said in `custody.checks.guards.tool_command`.
"""

from __future__ import annotations

import re

from custody.checks.guards.shell_text import GLOB

_FILE_URL = re.compile(r"\bfile:/", re.IGNORECASE)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s\"'`]*", re.IGNORECASE)
_BEFORE = r"(?:\A|(?<=[\s\"'`=:,@(\[{;|&])|(?<=:[-+?]))"
_HOME = re.compile(rf"{_BEFORE}(?:(?<!\A=)~(?![\s=])|\$\{{?(?:HOME|OLDPWD)\b)")
_ABSOLUTE = re.compile(rf"{_BEFORE}(?:-[A-Za-z])?/|[<>]/[^/\s<>]+/")
_BOUNDARY = re.compile(r"(?::[-+?]|[\s\"'`=:,@()\[\]{};|&])+")
_OPTION_LETTER = re.compile(r"-[A-Za-z](?=\.\.(?:/|\Z))")
_VARIABLE = re.compile(r"\$\{[^}]*\}|\$[A-Za-z_][A-Za-z0-9_]*|\$[0-9@*#?!$-]")
_DOT_PATTERN = re.compile(rf"\.[^{GLOB}]*[{GLOB}]")
_PATTERN = str.maketrans(GLOB, "*?[]")


def way_out(word: str) -> str:
    """Return what is wrong with a word of `shell_words`; empty when it stays inside."""
    if _HOME.search(word):
        return "names a home directory"
    if _FILE_URL.search(word) or _ABSOLUTE.search(_URL.sub("", word)):
        return "holds an absolute path"
    if _climbs(word) or _climbs(_VARIABLE.sub("", word)):
        return "holds a .. component"
    return ""


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

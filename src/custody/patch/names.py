r"""How git spells paths, and which it can hold.

A path that holds a control character, a quote, a backslash or bytes that are no printable UTF-8
stands in quotes with C's escapes: ``"a/caf\303\251"``. In the lines ``---`` and ``+++`` a name
with a blank in it is followed by a TAB, so that a date behind it is not taken for a part of it.
"""

from __future__ import annotations

import re

from custody.patch import SYMLINK

_ESCAPES = {
    b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r",
    b'"': b'"', b"\\": b"\\",
}  # fmt: skip
_LETTERS = {value[0]: b"\\" + letter for letter, value in _ESCAPES.items()}
_QUOTED = re.compile(rb'"((?:[^"\\\x00-\x1f]|\\(?:[abtnvfr"\\]|[0-3][0-7][0-7]))*)"')
_ESCAPE = re.compile(rb"\\([0-3][0-7][0-7]|.)")
_ODD = re.compile(rb'[\x00-\x1f\x7f"]')
_PREFIX = re.compile(rb"[abciow12]/")
_GIT = re.compile(rb"(?:\.git|git~1)[ .]*(?::.*)?", re.IGNORECASE | re.DOTALL)
_MODULES = re.compile(
    rb"(?:\.gitmodules|gitmod~[1-4]|g?i?7?e?b?a?~[0-9]+)[ .]*(?::.*)?", re.IGNORECASE | re.DOTALL
)
_ASCII = range(0x20, 0x7F)


def quote(name: bytes) -> bytes:
    """Return a name as git writes it: odd ones in quotes.

    One that has a folder with a blank at its end is quoted as well, which git reads but does not
    write: older releases cannot read what they write about an empty file there.
    """
    if not is_odd(name) and b" /" not in name:
        return name
    return b'"' + b"".join(_escaped(byte) for byte in name) + b'"'


def is_odd(name: bytes) -> bool:
    """Whether a name cannot stand in a line as it is."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return True
    return not text.isprintable() or '"' in text or "\\" in text


def shown(name: bytes) -> str:
    """Return a name for a message, on one line."""
    return quote(name).decode()


def unquote(text: bytes) -> tuple[bytes, bytes] | None:
    """Return the name in quotes at the beginning of a text, and the rest; None for a wrong one."""
    found = _QUOTED.match(text)
    if found is None:
        return None
    name = _ESCAPE.sub(_unescaped, found[1])
    return None if b"\0" in name else (name, text[found.end() :])


def plain(text: bytes) -> bytes | None:
    """Return the name that a whole text spells, quoted or not; None for none."""
    if text.startswith(b'"'):
        found = unquote(text)
        return None if found is None or found[1] else found[0]
    return None if not text or _ODD.search(text) else text


def without_prefix(name: bytes | None) -> bytes | None:
    """Return a name without git's ``a/`` or ``b/``; None when it has none."""
    return name[2:] if name is not None and _PREFIX.match(name) else None


def pair(text: bytes, known: tuple[bytes, bytes] | None) -> tuple[bytes, bytes] | None:
    """Return the two names after ``diff --git``, without prefixes; None when it is not two.

    Where no quotes tell where the first one ends, ``known`` names do, or both are the same.
    """
    names = _split(text, known)
    if names is None:
        return None
    old, new = (without_prefix(plain(name)) for name in names)
    return None if old is None or new is None else (old, new)


def can_hold(path: bytes, mode: int | None = None) -> bool:
    """Whether git has a place for a path: not for ``.git``, in whatever spelling, nor for ``..``.

    A symlink has no place where git looks for the list of submodules.
    """
    if any(part in {b"", b".", b".."} for part in path.split(b"/")) or b"\0" in path:
        return False
    parts = re.split(rb"[/\\]", path)
    if any(_GIT.fullmatch(part) for part in parts):
        return False
    return mode != SYMLINK or not any(_MODULES.fullmatch(part) for part in parts)


def _split(text: bytes, known: tuple[bytes, bytes] | None) -> tuple[bytes, bytes] | None:
    if text.startswith(b'"'):
        found = unquote(text)
        end = len(text) - len(found[1]) if found is not None else 0
    elif text.endswith(b'"'):
        end = text.find(b'"') - 1
    elif known is not None:
        end = len(known[0]) + 2
    else:
        end = len(text) // 2
    return (text[:end], text[end + 1 :]) if text[end : end + 1] == b" " else None


def _escaped(byte: int) -> bytes:
    if byte in _LETTERS:
        return _LETTERS[byte]
    return bytes([byte]) if byte in _ASCII else b"\\%03o" % byte


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return _ESCAPES[code] if code in _ESCAPES else bytes([int(code, 8)])

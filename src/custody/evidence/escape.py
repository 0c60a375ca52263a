"""The one escaping rule of evidence uris: percent-encoded UTF-8, decoded once.

What is written bare is what RFC 3986 lets stand in a segment of a path. Everything else, a slash
within a name too, is written as ``%XX`` of its bytes in UTF-8.
"""

from __future__ import annotations

import re

from custody.errors import UriRefused
from custody.patterns import later

MALFORMED = "E_MALFORMED"
BARE = "-._~!$&'()*+,;=:@"
"""What stands for itself beside letters and digits."""

_SEGMENT = later(rf"(?:[A-Za-z0-9{re.escape(BARE)}]|%[0-9A-Fa-f]{{2}})*")
_PLAIN = later(rf"[A-Za-z0-9{re.escape(BARE)}]*")
"""What needs no escaping: a run whose files are called so loads nothing for it."""
_UNSEEN = later(r"[\x00-\x1f\x7f-\x9f]")


def escaped(name: str) -> str:
    """Return one name as a segment; raises `UriRefused` for one that no uri can hold."""
    if _PLAIN.fullmatch(name):
        return name
    from urllib.parse import quote

    try:
        name.encode()
    except UnicodeEncodeError:
        raise UriRefused(MALFORMED, f"{name!r} is not UTF-8") from None
    if _UNSEEN.search(name):
        raise UriRefused(MALFORMED, f"a control character stands in {name!r}")
    return quote(name, safe=BARE)


def escaped_path(path: str) -> str:
    """Return a path with each of its names escaped."""
    return "/".join(map(escaped, path.split("/")))


def plain(segment: str, *, where: str) -> str:
    """Return what a segment stands for; raises `UriRefused`."""
    if _PLAIN.fullmatch(segment):
        return segment
    from urllib.parse import unquote_to_bytes

    if _SEGMENT.fullmatch(segment) is None:
        raise UriRefused(
            MALFORMED,
            f"{segment[:80]!r} holds what must be percent-encoded",
            where=where,
            hint="write `/`, `?`, `#`, `%` and what is not ASCII within a name as %XX",
        )
    try:
        name = unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        raise UriRefused(MALFORMED, f"{segment[:80]!r} is not UTF-8", where=where) from None
    if _UNSEEN.search(name):
        what = f"a control character is encoded in {segment[:80]!r}"
        raise UriRefused(MALFORMED, what, where=where)
    return name


def climbs(path: str) -> bool:
    """Whether a ``..`` stands in a path, also for a reader who decodes it once more."""
    if "%" not in path:
        return _has_parent(path)
    from urllib.parse import unquote

    while (again := unquote(path)) != path:
        if _has_parent(path):
            return True
        path = again
    return _has_parent(path)


def _has_parent(path: str) -> bool:
    return ".." in path.replace("\\", "/").split("/")

"""Whatever in a patch could be taken for a header, for a patch that cannot be read.

Nothing is admitted by what is found here: the patch is refused already. It is found so that the
refusal names the file behind a mail's signature, the submodule or the missing prefix.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from custody.patch import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, names
from custody.patch.git_header import GIT
from custody.patch.plain_header import NEW, NO_FILE, OLD
from custody.patterns import later

_MODE = later(rb"(?:old mode|new mode|new file mode|deleted file mode|index [^ ]+) ([0-9]+)")
_NAMED = later(rb"(rename|copy) (from|to) (.*)")
_NAMES = (GIT, OLD, NEW, b"rename from ", b"rename to ", b"copy from ", b"copy to ")
_UNSPEAKABLE = later(rb"[\x00-\x08\x0b-\x1f\x7f](?!\Z)|\"(?:[^\"\\]|\\.)*\\000")
"""Control characters as they are, one at the very end aside, and a NUL in C's spelling."""
_KNOWN = frozenset(b"%o" % mode for mode in (REGULAR, EXECUTABLE))


class HeaderLine(NamedTuple):
    """One thing that a line says: a path, or what is wrong with it."""

    path: bytes = b""
    source: bool = False
    """Whether it is what a copy is made of."""
    code: str = ""
    reason: str = ""
    shown: str = ""


def headers(data: bytes) -> Iterator[HeaderLine]:
    """Yield what the headers of a patch say: kinds of files first, then every path once."""
    lines = data.split(b"\n")
    yield from _modes(lines)
    yield from _twice(lines)
    seen: set[tuple[bytes, bool]] = set()
    for line in lines:
        for header in _paths(line):
            if header.code or (header.path, header.source) not in seen:
                seen.add((header.path, header.source))
                yield header


def _modes(lines: list[bytes]) -> Iterator[HeaderLine]:
    for line in lines:
        found = _MODE.fullmatch(line)
        if found is None or found[1] in _KNOWN:
            continue
        mode = found[1].decode()
        if found[1] == b"%o" % SUBMODULE:
            yield HeaderLine(code="gitlink", reason="a submodule cannot be patched")
        elif found[1] == b"%o" % SYMLINK:
            yield HeaderLine(code="symlink", reason="a file is or becomes a symlink")
        else:
            yield HeaderLine(code="mode", reason=f"no file has mode {mode}")


def _twice(lines: list[bytes]) -> Iterator[HeaderLine]:
    seen: set[bytes] = set()
    for line in lines:
        if line.startswith(GIT):
            if line in seen:
                shown = line.removeprefix(GIT).decode(errors="backslashreplace")
                yield HeaderLine(code="duplicate", reason="a file is changed twice", shown=shown)
            seen.add(line)


def _paths(line: bytes) -> Iterator[HeaderLine]:
    if line.startswith(_NAMES) and _UNSPEAKABLE.search(line):
        reason = "a control character stands in a name, which git may end there"
        shown = line.decode(errors="backslashreplace")
        yield HeaderLine(code="control", reason=reason, shown=shown)
    elif line.startswith(GIT):
        text = line.removeprefix(GIT)
        pair = names.pair(text, None)
        if pair is not None:
            yield from (HeaderLine(path) for path in dict.fromkeys(pair))
        elif _halves(text):
            yield _unprefixed(text)
    elif line.startswith((OLD, NEW)):
        text = line[len(OLD) :].partition(b"\t")[0]
        name = names.plain(text)
        if text != NO_FILE and name is not None:
            path = names.without_prefix(name)
            yield _unprefixed(text) if path is None else HeaderLine(path)
    elif found := _NAMED.fullmatch(line):
        name = names.plain(found[3])
        if name is not None:
            yield HeaderLine(name, source=(found[1], found[2]) == (b"copy", b"from"))


def _halves(text: bytes) -> bool:
    """Whether a text is one name, written twice."""
    middle = len(text) // 2
    return text[:middle] == text[middle + 1 :] and text[middle : middle + 1] == b" "


def _unprefixed(text: bytes) -> HeaderLine:
    shown = text.decode(errors="backslashreplace")
    reason = "a name without a/ or b/ before it: git would take its first folder away"
    return HeaderLine(code="prefix", reason=reason, shown=shown)

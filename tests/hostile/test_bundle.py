"""Bundles that could harm whoever opens them, and contents that could harm a bundle."""

from __future__ import annotations

import io
import re
import stat
import warnings
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from custody.errors import MalformedDocument
from custody.views.bundle import INVENTORY, MOST_MEMBERS, READ_LIMIT, make_bundle, read_bundle
from support.hostile import Case, cases


def archive(*members: tuple[str, bytes], mode: int = 0o100644) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as made:
        warnings.simplefilter("ignore")
        for name, data in members:
            info = zipfile.ZipInfo("stands for it" if "\0" in name else name)
            info.external_attr = mode << 16
            made.writestr(info, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def bomb() -> bytes:
    """Return an archive of some kilobytes whose members are more than anybody wants."""
    return archive(*((f"{n}", bytes(64 << 20)) for n in range(READ_LIMIT // (64 << 20) + 1)))


def named(found: re.Match[str]) -> bytes:
    """Return an archive with one member of a name; a NUL is put into it by hand."""
    name = found[1].strip("`'\"").replace("\\0", "\0").replace("\\n", "\n")
    made = archive((name, b"x"))
    if "\0" not in name:
        return made
    held = name.encode().ljust(len(b"stands for it"), b"_")
    return made.replace(b"stands for it", held)


def lying() -> bytes:
    """Return an archive that declares less than it holds."""
    size = 100_000
    return archive(("a", b"0" * size)).replace(size.to_bytes(4, "little"), b"\x0a\0\0\0")


def packed_otherwise() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as made:
        made.writestr("a", b"0" * 1000)
    return out.getvalue()


def encrypted() -> bytes:
    """Return an archive that says of its member that a password is needed."""
    made = bytearray(archive(("a", b"x")))
    made[6] |= 1
    made[made.index(b"PK\x01\x02") + 8] |= 1
    return bytes(made)


ZIPS: tuple[tuple[str, Callable[[re.Match[str]], bytes]], ...] = (
    (r"two members|duplicate|same name", lambda _: archive(("a", b"1"), ("a", b"2"))),
    (r"expands|bomb", lambda _: bomb()),
    (r"symlink", lambda _: archive(("a", b"/etc"), mode=stat.S_IFLNK | 0o777)),
    (r"declares less|lies about its size|declared size", lambda _: lying()),
    (r"(\d+|1e\d) members", lambda found: archive(*((f"{n}", b"") for n in range(count(found))))),
    (r"encrypted|password", lambda _: encrypted()),
    (r"lzma|another method", lambda _: packed_otherwise()),
    (r"not an? (?:zip|archive)|no (?:zip|archive)", lambda _: b"no archive"),
    (r"\bempty\b", lambda _: b""),
    (r"cut|truncated", lambda _: archive(("a", b"x"))[:-10]),
    (r"members? (?:is |named |called |path |name )?(\S*[./\\:]\S*)", named),
)
"""What an archive is like, in words, and how to make one that is."""
CONTENTS: tuple[tuple[str, Callable[[re.Match[str]], Mapping[str, bytes]]], ...] = (
    (r"(\d+|1e\d) files", lambda found: {f"logs/{n}": b"" for n in range(count(found))}),
    (r"garbage|invalid UTF-8|not UTF-8|binary", lambda _: {"logs/out": bytes(range(256))}),
    (r"NUL", lambda _: {"logs/out": b"a\0b"}),
    (r"(\d+) MB", lambda found: {"logs/out": b"x\n" * (int(found[1]) << 19)}),
)
"""What goes into a bundle, in words."""


def count(found: re.Match[str]) -> int:
    return int(float(found[1]))


def verdict_of(case: Case) -> str:
    """Return what becomes of an archive, or of what goes into one."""
    ((kind, what),) = case.input.items()
    if kind == "zip":
        try:
            read_bundle(made_of(what, ZIPS))
        except MalformedDocument as malformed:
            return f"reject:{malformed.code}"
        return "accept"
    contents = made_of(what, CONTENTS)
    members = read_bundle(make_bundle(contents))
    if len(members) < len(contents):
        told = f"{len(contents) - MOST_MEMBERS} more files"
        return "accept:capped" if told in members[INVENTORY].decode() else "accept"
    for data in members.values():
        data.decode()
    if any(f"[cut: {len(data)} bytes]".encode() in members[at] for at, data in contents.items()):
        return "accept:capped"
    return "accept" if members.items() >= contents.items() else "accept:escaped"


def made_of(what: str, table: tuple[tuple[str, Callable[[re.Match[str]], Any]], ...]) -> Any:
    """Return what a description says; one that nobody understands must not pass."""
    for pattern, make in table:
        if found := re.search(pattern, what):
            return make(found)
    raise AssertionError(f"nobody knows how to make this: {what!r}")


@pytest.mark.parametrize("case", cases("bundle"), ids=str)
def test_bundle(case: Case) -> None:
    assert verdict_of(case) == case.expect

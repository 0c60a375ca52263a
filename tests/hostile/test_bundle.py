"""Bundles that could harm whoever opens them, and contents that could harm a bundle."""

from __future__ import annotations

import io
import stat
import warnings
import zipfile
from collections.abc import Callable

import pytest

from custody.errors import MalformedDocument
from custody.views.bundle import INVENTORY, MOST_MEMBERS, READ_LIMIT, make_bundle, read_bundle
from support.hostile import Case, cases


def archive(*members: tuple[str, bytes], mode: int = 0o100644) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as made:
        warnings.simplefilter("ignore")
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            made.writestr(info, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def bomb() -> bytes:
    """Return an archive of some kilobytes whose members are more than anybody wants."""
    return archive(*((f"{n}", bytes(64 << 20)) for n in range(READ_LIMIT // (64 << 20) + 1)))


ZIPS: dict[str, Callable[[], bytes]] = {
    "two members with one name": lambda: archive(("a", b"1"), ("a", b"2")),
    "42 kB that expands to 4 PB": bomb,
    "symlink member (external_attr 0120777)": lambda: archive(
        ("a", b"/etc"), mode=stat.S_IFLNK | 0o777
    ),
}
CONTENTS: dict[str, Callable[[], dict[str, bytes]]] = {
    "1e6 files": lambda: {f"logs/{n}": b"" for n in range(1_000_000)},
    "binary garbage with invalid UTF-8": lambda: {"logs/out": bytes(range(256))},
}


def verdict_of(case: Case) -> str:
    """Return what becomes of an archive, or of what goes into one."""
    (what,) = case.input.values()
    if what in ZIPS:
        try:
            read_bundle(ZIPS[what]())
        except MalformedDocument as malformed:
            return f"reject:{malformed.code}"
        return "accept"
    contents = CONTENTS[what]()
    members = read_bundle(make_bundle(contents))
    if len(members) < len(contents):
        told = f"{len(contents) - MOST_MEMBERS} more files"
        return "accept:capped" if told in members[INVENTORY].decode() else "accept"
    for data in members.values():
        data.decode()
    return "accept" if members.items() >= contents.items() else "accept:escaped"


@pytest.mark.parametrize("case", cases("bundle"), ids=str)
def test_bundle(case: Case) -> None:
    assert verdict_of(case) == case.expect

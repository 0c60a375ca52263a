"""``failure_bundle.zip``: everything that explains a failed change, in one file.

The same contents give the same bytes wherever and whenever it is made: members in order, one date,
nothing compressed. Every member is text that any reader can show. A file of more than `MOST_BYTES`
is cut, and so is the list of files after `MOST_MEMBERS`; the bundle says so in ``INVENTORY.md``.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping

from custody.errors import MalformedDocument, PathRefused
from custody.model import layout
from custody.model.relpath import RelPath

MOST_MEMBERS = 2000
MOST_BYTES = 4 << 20
"""Of one member."""
READ_LIMIT = 256 << 20
"""Bytes of all members of a bundle that somebody handed in."""
INVENTORY = "INVENTORY.md"
_LEAST = (layout.PLAN, layout.PATCH, layout.VERIFY_REPORT)
_FOLDERS = (f"{layout.OUTBOX}/", f"{layout.REVIEWS}/")
_DATE = (1980, 1, 1, 0, 0, 0)
_FILE, _FOLDER = 0o100644 << 16, 0o40755 << 16
_LINK = 0o120000
_KIND = 0o170000
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_DAMAGED = (
    zipfile.BadZipFile, EOFError, RuntimeError, OSError, ValueError,
    OverflowError, struct.error, zlib.error,
)  # fmt: skip
"""What reading an archive can raise whose bytes are not what they should be."""


def make_bundle(files: Mapping[str, bytes]) -> bytes:
    """Return the archive; what must be in it and is not has a placeholder."""
    members = dict(_capped(files))
    for path in _LEAST:
        members.setdefault(path, f"(there is no {path}: the change ended before it)\n".encode())
    members[INVENTORY] = _inventory(members, len(files))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted({*members, *_FOLDERS}):
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system = 3
            info.external_attr = _FOLDER if name in _FOLDERS else _FILE
            archive.writestr(info, members.get(name, b""))
    return out.getvalue()


def read_bundle(data: bytes) -> dict[str, bytes]:
    """Return the members of a bundle from elsewhere; raises `MalformedDocument` for what harms.

    Codes: ``zip``, ``duplicate``, ``symlink``, those of `RelPath` for a name that does not lie
    below the archive or has a second spelling, and ``too_large``, by the size that is declared and
    by the bytes that really come.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _refuse_harmful(members)
            return dict(_read(archive, members))
    except _DAMAGED as error:
        raise MalformedDocument("zip", f"it is no zip archive: {error}") from None


def _refuse_harmful(members: list[zipfile.ZipInfo]) -> None:
    seen: set[str] = set()
    for member in members:
        name = member.orig_filename
        plain = name.removesuffix("/")
        if plain in seen:
            raise MalformedDocument("duplicate", f"two members are called {name!r}")
        seen.add(plain)
        if (member.external_attr >> 16) & _KIND == _LINK:
            raise MalformedDocument("symlink", f"{name!r} is a symlink")
        if member.compress_type not in _METHODS:
            raise MalformedDocument("zip", f"{name!r} is packed in a way that few can read")
        try:
            RelPath.parse(name if name == "/" else plain)
        except PathRefused as refused:
            raise MalformedDocument(refused.code, f"a member's {refused.what}") from None
    if len(members) > MOST_MEMBERS + len(_LEAST) + len(_FOLDERS) + 1:
        raise MalformedDocument("too_large", f"it has {len(members)} members")
    if sum(member.file_size for member in members) > READ_LIMIT:
        raise MalformedDocument("too_large", f"its members have more than {READ_LIMIT} bytes")


def _read(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> Iterator[tuple[str, bytes]]:
    left = READ_LIMIT
    for member in members:
        if member.is_dir():
            continue
        with archive.open(member) as file:
            data = file.read(left + 1)
        left -= len(data)
        if left < 0:
            raise MalformedDocument("too_large", f"its members have more than {READ_LIMIT} bytes")
        yield member.filename, data


def _capped(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the members, what must be there first."""
    first = [path for path in (*_LEAST, layout.TRACE_PAGE, layout.EVENTS) if path in files]
    rest = sorted(files.keys() - set(first))
    for path in (*first, *rest)[:MOST_MEMBERS]:
        data = files[path].decode(errors="backslashreplace").encode()
        if len(data) > MOST_BYTES and path not in first:
            cut = data[:MOST_BYTES].decode(errors="ignore")
            data = f"{cut}\n… [cut: {len(data)} bytes]\n".encode()
        yield path, data


def _inventory(members: Mapping[str, bytes], count: int) -> bytes:
    lines = [f"- {path}: {len(data)} bytes" for path, data in sorted(members.items())]
    left_out = count - MOST_MEMBERS
    if left_out > 0:
        lines.append(f"- and {left_out} more files, which are left out")
    return ("# What is in this bundle\n\n" + "\n".join(lines) + "\n").encode()

"""New files in a folder of the user's, and one line more in a file that may be there."""

from __future__ import annotations

import os
from collections.abc import Mapping

from custody.errors import PathRefused, UsageError
from custody.store.places import make_folder
from custody.store.root import Root

_IGNORE_FILE = ".gitignore"
_LIMIT = 1 << 20


def scaffold(folder: str, files: Mapping[str, bytes], ignored: str = "") -> tuple[str, ...]:
    """Write new files into a folder, made where it is missing; where one exists, none is.

    What is ``ignored`` becomes a line of ``.gitignore``, see `ignore`. Return what was written.
    """
    try:
        make_folder(folder)
    except PathRefused as refused:
        if refused.code != "exists":
            raise
        raise UsageError(f"{folder!r} is no folder", hint="name one, or none") from None
    with Root.open(folder) as root:
        for name in files:
            if root.exists(name):
                hint = "move it away, or choose another folder"
                raise UsageError(f"{name} exists", where=folder, hint=hint)
        for name, data in files.items():
            root.create(name, data)
    written = [os.path.normpath(os.path.join(folder, name)) for name in files]
    return (*written, *filter(None, [ignore(folder, ignored) if ignored else ""]))


def ignore(folder: str, line: str) -> str:
    """Have git ignore what ``line`` says below a folder; return the file that was written.

    Nothing is done outside of a repository, nor where the line stands there already: empty then.
    """
    if not _in_repository(folder):
        return ""
    with Root.open(folder) as root:
        there = root.exists(_IGNORE_FILE)
        text = root.read(_IGNORE_FILE, limit=_LIMIT) if there else b""
        wanted = line.encode()
        known = {one.strip().strip(b"/") for one in text.splitlines()}
        if wanted.strip(b"/") in known:
            return ""
        begun = text if not text or text.endswith(b"\n") else text + b"\n"
        mode = root.stat(_IGNORE_FILE).st_mode & 0o777 if there else None
        root.write(_IGNORE_FILE, begun + wanted + b"\n", mode=mode)
    return os.path.normpath(os.path.join(folder, _IGNORE_FILE))


def _in_repository(folder: str) -> bool:
    """Whether a folder, or one above it, has a ``.git``."""
    place = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(place, ".git")):
        above = os.path.dirname(place)
        if above == place:
            return False
        place = above
    return True

"""Files of this machine, below folders that were named for it, and no symlink on the way."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from custody.errors import PathRefused, ResolveFailed, StorageFailed
from custody.evidence import Content, failure
from custody.evidence.uri import FileUri
from custody.resolvers import LIMIT
from custody.store.places import is_folder, real_path
from custody.store.root import Root

_MEANS = {
    "missing": failure.GONE,
    "too_large": failure.TOO_LARGE,
    "unreadable": failure.UNREACHABLE,
    "changed_during_read": failure.UNREACHABLE,
}
"""What a refused path means; any other refusal is one here, too."""


def read_named(roots: Iterable[str], uri: FileUri) -> Content:
    """Return a file below one of some folders; raises `ResolveFailed`."""
    for root in roots:
        if (path := path_below(root, uri.path)) is not None:
            return read_below(root, path, where=uri.text)
    hint = "name its folder in `file_roots` of [evidence] in your own configuration"
    what = "it lies below none of the folders that evidence may be in"
    raise ResolveFailed(failure.REFUSED, what, where=uri.text, hint=hint)


def path_below(root: str, path: str) -> str | None:
    """Return an absolute path as one below a folder, however that is spelled; None outside."""
    for spelled in (root, real_path(root) if is_folder(root) else root):
        below = spelled.rstrip("/") + "/"
        if path.startswith(below):
            return path.removeprefix(below)
    return None


def read_below(root: str, path: str, *, where: str) -> Content:
    """Return a file by its path below a folder; raises `ResolveFailed`."""
    if not is_folder(root):
        raise ResolveFailed(failure.UNREACHABLE, f"there is no folder {root}", where=where)
    try:
        with Root.open(root) as opened:
            return Content.of(opened.read(path, limit=LIMIT, links=sys.maxsize))
    except PathRefused as refused:
        code = _MEANS.get(refused.code, failure.REFUSED)
        raise ResolveFailed(code, f"{refused.what} ({path})", where=where) from None
    except StorageFailed as failed:
        raise ResolveFailed(failure.UNREACHABLE, failed.what, where=where) from None

"""What of a repository a pack may show: neither build results, nor secrets, nor holdouts.

A name counts at any depth, by whole components, and whatever its case: ``sub/node_modules/x`` is
denied, ``node_modules_evil/x`` is not. Links are followed as long as they stay inside and lead to
something that may be seen.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable

from custody.errors import PathRefused
from custody.model.holdouts import SCENARIOS, Holdouts
from custody.model.relpath import RelPath, caseless
from custody.model.secret_files import is_secret
from custody.store.root import Root

DENIED = (".git", "runs", "build", "dist", "node_modules", "__pycache__")
"""Folders, or files of that name, that no pack holds."""
_DENIED = frozenset(DENIED)
_HOPS = 40
"""Links that lead from one to the next; as many as Linux follows."""


class PackSight:
    """What may be seen of one repository."""

    def __init__(self, root: Root, hidden: Iterable[str] = ()) -> None:
        self._root = root
        self._hidden = Holdouts.of(map(caseless, (SCENARIOS, *hidden)))

    def denies(self, path: RelPath) -> bool:
        """Whether nobody is shown that path, by its name alone."""
        plain = caseless(str(path))
        if not _DENIED.isdisjoint(plain.split("/")):
            return True
        return is_secret(plain) or self._hidden.covers(plain)

    def behind(self, path: RelPath) -> RelPath:
        """Return where a path leads that a link stands in.

        Raises `PathRefused` with ``symlink`` where that is outside or nothing to be shown, and
        with ``missing`` where it is nowhere.
        """
        ahead, behind, hops = [*reversed(path.parts)], list[str](), 0
        while ahead:
            name = ahead.pop()
            if name == "..":
                if not behind:
                    raise _leads_out(path)
                behind.pop()
            elif name not in {"", "."}:
                here = "/".join((*behind, name))
                if not stat.S_ISLNK(self._root.stat(here).st_mode):
                    behind.append(name)
                    continue
                target = self._root.read_link(here)
                hops += 1
                if hops > _HOPS or target.startswith("/"):
                    raise _leads_out(path)
                ahead.extend(reversed(target.split("/")))
        try:
            found = RelPath.parse("/".join(behind))
        except PathRefused:
            raise _leads_out(path) from None
        if self.denies(found):
            raise _leads_out(path)
        return found


def _leads_out(path: RelPath) -> PathRefused:
    return PathRefused("symlink", "a link leads to what is not shown", where=str(path))

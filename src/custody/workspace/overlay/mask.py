"""A layer that hides parts of a workspace without touching them.

Put on top of the lower layers of an overlay it makes the hidden paths look as if they had never
been there: they are not listed, and opening one finds nothing. In the workspace itself nothing
is renamed, so there is nothing that a crash could leave hidden or lose.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from custody.model.change import Entry
from custody.model.holdouts import Holdouts
from custody.store.os_errors import failure
from custody.store.root import Root
from custody.workspace.overlay import marks

_HOPS = 40
"""How many symlinks are followed, as the kernel does."""


# BEHAVIOR_ID: B008
class Mask:
    """A folder that hides; made by `make`."""

    def __init__(self, path: str, hidden: Holdouts) -> None:
        self.path = path
        """The absolute path, for the lower layers of a mount."""
        self.hidden = hidden

    @classmethod
    def make(
        cls,
        root: Root,
        hidden: Holdouts,
        expected: Mapping[str, Entry],
        *,
        form: marks.Form | None = None,
    ) -> Mask:
        """Fill the empty folder ``root`` with what hides ``hidden`` of a workspace.

        A folder of the mask lends its mode to the one it lies on, so it has the same. Only what
        is there is hidden: that nobody makes the rest is for a check to see.
        """
        parents: set[str] = set()
        for path in sorted(hidden.paths & expected.keys()):
            folder, _, _ = path.rpartition("/")
            if folder and hidden.covers(folder):
                continue
            try:
                with root.parent(path, create=True) as (descriptor, name):
                    marks.make_whiteout(descriptor, name, form)
            except OSError as error:
                raise failure(error, f"{root.path}/{path}") from error
            parents.update(_above(path))
        for path in sorted(parents, reverse=True):
            root.change_mode(path, expected[path].mode)
        return cls(root.path, hidden)


def hide(paths: Iterable[object], expected: Mapping[str, Entry]) -> Holdouts:
    """Return the holdouts at ``paths``: as named, and where the workspace's symlinks lead."""
    return Holdouts.of(name for path in paths for name in _ways(str(path), expected).names)


def keep_only(scope: Iterable[object], expected: Mapping[str, Entry]) -> Holdouts:
    """Return what must be hidden so that of a workspace only ``scope`` is seen.

    The folders above it are seen too, but nothing else in them. An empty path, or ``.``, is the
    whole workspace.
    """
    ways = [_ways(str(path), expected) for path in scope]
    kept = {place for way in ways for place in (*way.names, *way.links)}
    if kept & {"", "."}:
        return Holdouts()
    above = {folder for place in kept for folder in _above(place)}
    within = Holdouts.of(kept)
    return Holdouts.of(
        path
        for path in expected
        if path not in above
        and (not (folder := path.rpartition("/")[0]) or folder in above)
        and not within.covers(path)
    )


class _Ways(NamedTuple):
    """What leads to one place of a workspace."""

    names: list[str]
    """The path as named, and as each symlink on the way makes it; the last one has none."""
    links: list[str]


def _ways(path: str, expected: Mapping[str, Entry]) -> _Ways:
    ways = _Ways([path], [])
    for _ in range(_HOPS):
        link = next(
            (
                place
                for place in (*_above(path), path)
                if (entry := expected.get(place)) is not None and entry.kind == "symlink"
            ),
            None,
        )
        if link is None:
            break
        ways.links.append(link)
        target = os.path.join(os.path.dirname(link), expected[link].target)
        path = os.path.normpath(f"{target}{path.removeprefix(link)}")
        if path.startswith(("/", "..")):
            break
        ways.names.append(path)
    return ways


def _above(path: str) -> list[str]:
    """Return the folders above a path, the highest first."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]

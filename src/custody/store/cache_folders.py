"""The folders for what programs keep for their own speed: ``cache/``.

    base                       what was cached before the run's first agent was asked
    <node>.<visit>.<attempt>   what one attempt caches, while it is at work

An attempt never writes to the base: what it cached is added to it, or gone, when the attempt has
ended. So the base holds nothing of an attempt that was refused or killed, nor of any that came
after an agent.
"""

from __future__ import annotations

import stat
from collections.abc import Collection

from custody.model import layout
from custody.store.root import Root

_BASE = layout.cache_base()


class CacheFolders:
    """Makes and clears away the caches of one run; an attempt is named as its request is."""

    def __init__(self, run: Root) -> None:
        self._run = run

    @property
    def base(self) -> str:
        """The absolute path of the base; empty where there is none, or nothing in it."""
        there = self._is_folder(_BASE) and self._run.names(_BASE)
        return f"{self._run.path}/{_BASE}" if there else ""

    def begin(self, request: str, parts: Collection[str] = (), *, layered: bool) -> str:
        """Make a folder for an attempt, and return the base that is to lie beneath; empty for none.

        The folder holds what an overlay needs if it is to be ``layered``, and otherwise a copy of
        the base; and, for programs to see, empty folders called ``parts``.
        """
        self._drop_strangers()
        path, base = layout.cache_folder(request), self.base
        if self._run.exists(path):
            self._run.remove_tree(path)
        self._run.make_dirs(path)
        if base and layered:
            self._run.make_dirs(f"{path}/{layout.WORK}")
            path = f"{path}/{layout.UPPER}"
            self._run.make_dirs(path)
        elif base:
            _copy(self._run, _BASE, self._run, path)
        for part in parts:
            self._run.make_dirs(f"{path}/{part}")
        return base

    def open_upper(self, request: str) -> Root:
        """Open the upper directory of a layered attempt."""
        return self._run.sub(f"{layout.cache_folder(request)}/{layout.UPPER}")

    def open_base(self) -> Root:
        """Open the base, which is made where there is none."""
        self._run.make_dirs(_BASE)
        return self._run.sub(_BASE)

    def end(self, request: str, kept: Collection[str] = ()) -> None:
        """Leave nothing of an attempt, unless some of its folders are to be ``kept``; see `reduce`.

        Then its folder, with these, is the base, in place of the one there was. It is not where a
        program has put something else in its place.
        """
        self._drop_strangers()
        path = layout.cache_folder(request)
        if kept and self._is_folder(path) and self._reduce(path, kept):
            if self._run.exists(_BASE):
                self._run.remove_tree(_BASE)
            self._run.rename(path, _BASE)
        elif self._run.exists(path):
            self._run.remove_tree(path)

    def sweep(self) -> None:
        """Remove everything but the base: what a process left when it was ended."""
        self._drop_strangers()
        for name in self._run.names(layout.CACHE) if self._run.exists(layout.CACHE) else ():
            if f"{layout.CACHE}/{name}" != _BASE:
                self._run.remove_tree(f"{layout.CACHE}/{name}")

    def drop(self) -> None:
        """Remove the base as well."""
        if self._run.exists(layout.CACHE):
            self._run.remove_tree(layout.CACHE)

    def take_over(self, run: Root) -> None:
        """Begin with a copy of another run's base."""
        if CacheFolders(run).base:
            self._run.make_dirs(_BASE)
            _copy(run, _BASE, self._run, _BASE)

    def _drop_strangers(self) -> None:
        """Remove what a program without confinement has put in the place of all caches."""
        if not self._is_folder(layout.CACHE):
            self.drop()

    def _reduce(self, path: str, kept: Collection[str]) -> bool:
        with self._run.sub(path) as folder:
            return reduce(folder, kept)

    def _is_folder(self, path: str) -> bool:
        return self._run.exists(path) and stat.S_ISDIR(self._run.stat(path).st_mode)


def reduce(folder: Root, kept: Collection[str]) -> bool:
    """Remove what is not to be ``kept``; tell whether anything is left.

    Each is a name in the folder, or a name in a folder of it, as ``cargo/registry``.
    """
    for name in folder.names():
        if name in kept:
            continue
        parts = [path for path in kept if path.startswith(f"{name}/")]
        if not parts or not stat.S_ISDIR(folder.stat(name).st_mode):
            folder.remove_tree(name)
            continue
        with folder.sub(name) as below:
            left = reduce(below, {path.removeprefix(f"{name}/") for path in parts})
        if not left:
            folder.remove_tree(name)
    return bool(folder.names())


def _copy(source: Root, origin: str, target: Root, path: str) -> None:
    from custody.store.tree_copy import copy_tree

    with source.sub(origin) as one, target.sub(path) as other:
        copy_tree(one, other)

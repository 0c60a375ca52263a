"""The folders for what programs keep for their own speed: ``cache/``.

    base                       what was cached before the run's first agent was asked
    <node>.<visit>.<attempt>   what one attempt caches, while it is at work

An attempt never writes to the base: what it cached is added to it, or gone, when the attempt has
ended. So the base holds nothing of an attempt that was refused or killed, nor of any that came
after an agent.
"""

from __future__ import annotations

import stat

from custody.model import layout
from custody.store import files
from custody.store.root import Root
from custody.store.tree_copy import copy_tree

_BASE = layout.CACHE_BASE


class CacheFolders:
    """Makes and clears away the caches of one run; an attempt is named as its request is."""

    def __init__(self, run: Root) -> None:
        self._run = run

    @property
    def base(self) -> str:
        """The absolute path of the base; empty where there is none, or nothing in it."""
        there = self._run.exists(_BASE) and self._is_folder(_BASE) and self._run.names(_BASE)
        return f"{self._run.path}/{_BASE}" if there else ""

    def make(self, request: str, *parts: str) -> str:
        """Make an empty folder for an attempt, with others in it; return where."""
        path = layout.cache_folder(request)
        self.remove(request)
        for part in ("", *parts):
            self._run.make_dirs(f"{path}/{part}".rstrip("/"))
        return f"{self._run.path}/{path}"

    def fill(self, request: str) -> None:
        """Copy the base into the folder of an attempt."""
        with self._run.sub(_BASE) as base, self.open(request) as folder:
            copy_tree(base, folder)

    def open(self, request: str, part: str = "") -> Root:
        """Open the folder of an attempt, or one in it."""
        return self._run.sub(f"{layout.cache_folder(request)}/{part}".rstrip("/"))

    def open_base(self) -> Root:
        """Open the base."""
        return self._run.sub(_BASE)

    def adopt(self, request: str, part: str = "") -> None:
        """Make the folder of an attempt, or one in it, the base, in place of the one there is."""
        path = f"{layout.cache_folder(request)}/{part}".rstrip("/")
        if not self._run.names(path):
            return
        if self._run.exists(_BASE):
            old = f"{layout.CACHE}/{files.temporary_name()}"
            self._run.rename(_BASE, old)
            self._run.rename(path, _BASE)
            self._run.remove_tree(old)
        else:
            self._run.rename(path, _BASE)

    def remove(self, request: str) -> None:
        """Leave nothing of what an attempt cached."""
        path = layout.cache_folder(request)
        if self._run.exists(path):
            self._run.remove_tree(path)

    def sweep(self) -> None:
        """Remove everything but the base: what a process left when it was ended."""
        if not self._run.exists(layout.CACHE):
            return
        if not self._is_folder(layout.CACHE):
            self._run.remove_tree(layout.CACHE)
            return
        for name in self._run.names(layout.CACHE):
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
            with run.sub(_BASE) as base, self._run.sub(_BASE) as mine:
                copy_tree(base, mine)

    def _is_folder(self, path: str) -> bool:
        return stat.S_ISDIR(self._run.stat(path).st_mode)

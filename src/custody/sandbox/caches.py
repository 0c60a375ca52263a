"""What the programs of one attempt keep for their own speed, their temporaries and their home.

Nothing of it is there for the next attempt: byte code, an entry of a cache or a start-up file that
one program leaves would decide what the next one does. For speed, packages and build results that
were cached before the run's first agent was asked lie beneath (`environment.KEPT_CACHES`): at L3 as
the lower layer of an overlay, elsewhere as a copy.
"""

from __future__ import annotations

from custody.errors import PathRefused
from custody.model import layout
from custody.model.confinement import Level
from custody.sandbox.confinement import CACHE_VIEW, OverlayPaths
from custody.sandbox.environment import HOME, KEPT_CACHES, make_caches
from custody.store.cache_folders import CacheFolders
from custody.store.root import Root


class StageCaches:
    """The caches of one attempt: there from the first `make` to `end`."""

    def __init__(self, run: Root, request: str, *, kept: bool = False) -> None:
        """Get ready; ``kept`` tells whether what is cached may lie beneath later attempts."""
        self._run = run
        self._folders = CacheFolders(run)
        self._request = request
        self._kept = kept
        self._made = False
        self.layers: OverlayPaths | None = None
        """What the folder is made of, at L3, where there is a base; None shows the folder."""

    @property
    def path(self) -> str:
        """The absolute path of the folder, on this machine."""
        return f"{self._run.path}/{layout.cache_folder(self._request)}"

    def seen(self, level: Level) -> str:
        """Return where programs see it."""
        return CACHE_VIEW if level == "L3" else self.path

    def make(self, level: Level) -> None:
        """See to it that programs find what they expect; what earlier ones of the attempt left too.

        Raises `StorageFailed` when the disk fails.
        """
        if not self._made:
            self._begin(level)
            self._made = True
        homes = () if level == "L3" else (HOME,)
        make_caches(self.layers.upper if self.layers else self.path, *homes)

    def keep(self) -> None:
        """Let what was cached lie beneath later attempts, if it may: the attempt was accepted.

        Nothing is kept where a program has put something else in the place of the folder.
        """
        if not self._made or not self._kept:
            return
        try:
            cached = self._folders.open(self._request, layout.UPPER if self.layers else "")
        except PathRefused:
            return
        with cached:
            self._keep(cached)

    def _keep(self, cached: Root) -> None:
        for name in cached.names():
            if name not in KEPT_CACHES:
                cached.remove_tree(name)
        if self.layers is None:
            self._folders.adopt(self._request)
            return
        from custody.workspace.overlay.merge import merge

        with self._folders.open_base() as base:
            merge(cached, base)

    def end(self) -> None:
        """Leave nothing of it."""
        if self._made:
            self._made = False
            self._folders.remove(self._request)

    def _begin(self, level: Level) -> None:
        base = self._folders.base
        if not base:
            self._folders.make(self._request)
        elif level == "L3":
            folder = self._folders.make(self._request, layout.UPPER, layout.WORK)
            upper, work = f"{folder}/{layout.UPPER}", f"{folder}/{layout.WORK}"
            self.layers = OverlayPaths(lower=(base,), upper=upper, work=work)
        else:
            self._folders.make(self._request)
            self._folders.fill(self._request)

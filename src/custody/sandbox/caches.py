"""What the programs of one attempt keep for their own speed, their temporaries and their home.

Nothing of it is there for the next attempt: byte code, an entry of a cache or a start-up file that
one program leaves would decide what the next one does. For speed, packages and build results that
were cached before the run's first agent was asked lie beneath (`environment.KEPT_CACHES`): at L3 as
the lower layer of an overlay, elsewhere as a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from custody.model import layout
from custody.model.confinement import Level
from custody.store.resolve import own
from custody.store.root import Root

if TYPE_CHECKING:
    from custody.sandbox.confinement import OverlayPaths
    from custody.store.cache_folders import CacheFolders


class StageCaches:
    """The caches of one attempt: there from `make` to `end`, and made anew by the next `make`."""

    def __init__(self, run: Root, request: str, *, kept: bool = False) -> None:
        """Get ready; ``kept`` tells whether what is cached may lie beneath later attempts."""
        self._run = run
        self._request = request
        self._kept = kept
        self._made: CacheFolders | None = None
        self.path = f"{run.path}/{layout.cache_folder(request)}"
        """The absolute path of the folder, on this machine."""
        self.layers: OverlayPaths | None = None
        """What the folder is made of, at L3, where there is a base; None shows the folder."""

    def seen(self, level: Level) -> str:
        """Return where programs see it."""
        from custody.sandbox.confinement import CACHE_VIEW

        return CACHE_VIEW if level == "L3" else self.path

    def make(self, level: Level) -> None:
        """See to it that programs find what they expect; what earlier ones of the attempt left too.

        Raises `StorageFailed` when the disk fails.
        """
        from custody.sandbox.environment import CACHES, HOME, make_caches

        homes = () if level == "L3" else (HOME,)
        if self._made is None:
            self._begin((CACHES["TMPDIR"], *homes), layered=level == "L3")
        else:
            make_caches(self.layers.upper if self.layers else self.path, *homes)

    def give(self, level: Level, name: str, data: bytes) -> str:
        """Put a file there for programs to read; return where they see it."""
        self.make(level)
        with Root.open(self.layers.upper if self.layers else self.path, resolver=own) as folder:
            folder.write(name, data)
        return f"{self.seen(level)}/{name}"

    def end(self, *, accepted: bool = False) -> None:
        """Leave nothing of it, but for what an accepted attempt may have kept."""
        folders, self._made = self._made, None
        if folders is None:
            return
        from custody.sandbox.environment import KEPT_CACHES

        keeps = accepted and self._kept
        if keeps and self.layers is not None:
            self._merge(folders)
        folders.end(self._request, KEPT_CACHES if keeps and self.layers is None else ())

    def _begin(self, parts: tuple[str, ...], *, layered: bool) -> None:
        from custody.sandbox.confinement import OverlayPaths
        from custody.store.cache_folders import CacheFolders

        folders = CacheFolders(self._run)
        base = folders.begin(self._request, parts, layered=layered)
        self._made, self.layers = folders, None
        if base and layered:
            upper, work = f"{self.path}/{layout.UPPER}", f"{self.path}/{layout.WORK}"
            self.layers = OverlayPaths(lower=(base,), upper=upper, work=work)

    def _merge(self, folders: CacheFolders) -> None:
        """Add what the attempt cached to the base."""
        from custody.sandbox.environment import KEPT_CACHES
        from custody.store.cache_folders import reduce
        from custody.workspace.overlay.merge import merge

        with folders.open_upper(self._request) as upper:
            if reduce(upper, KEPT_CACHES):
                with folders.open_base() as base:
                    merge(upper, base)

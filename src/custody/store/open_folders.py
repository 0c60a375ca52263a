"""Folders of a tree, those used last kept open: who goes through a tree opens each only once."""

from __future__ import annotations

from custody.store.root import Root

_KEPT = 16


class OpenFolders:
    """Opens folders below a root, from the one above where that is open."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._open: dict[str, Root] = {}

    def get(self, path: str) -> Root:
        """Return a folder, or the root itself for an empty path.

        It stays open until some others were asked for. Raises what `Root.sub` raises.
        """
        if not path:
            return self._root
        found = self._open.pop(path, None)
        if found is None:
            above, _, name = path.rpartition("/")
            found = self._above(above).sub(name)
        return self._keep(path, found)

    def close(self) -> None:
        """Give the descriptors back."""
        while self._open:
            self._open.popitem()[1].close()

    def _above(self, path: str) -> Root:
        """Return the folder above: those beside the one that is asked for will need it too."""
        if not path:
            return self._root
        found = self._open.pop(path, None)
        return self._keep(path, self._root.sub(path) if found is None else found)

    def _keep(self, path: str, folder: Root) -> Root:
        if len(self._open) >= _KEPT:
            self._open.pop(next(iter(self._open))).close()
        self._open[path] = folder
        return folder

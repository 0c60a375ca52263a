"""Folders of a stage as layers: mounts that live in the stage's namespaces alone."""

from __future__ import annotations

import os
from collections.abc import Sequence

from custody.sandbox import kernel
from custody.sandbox.confinement import OverlayPaths
from custody.store.places import may_enter

_NO_SETUID_NO_DEVICES = 0b110
_KEPT = ("work", "work/incompat", "work/incompat/volatile", "work/incompat/volatile/dirty")
_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class OpenOverlay:
    """OverlayPaths, opened while their folders can still be seen."""

    def __init__(self, layers: OverlayPaths) -> None:
        self._lower = [_open(path) for path in layers.lower]
        self._upper, self._work = _open(layers.upper), _open(layers.work)

    def mount(self, target: str, name: str = "workspace") -> None:
        """Show them as one tree; ``name`` is what the list of mounts calls it.

        They are named by descriptors: no character of a path has to be quoted, and the list of
        mounts, which the processes can read, does not tell where the layers are.
        """
        # Nothing is synced for a stage (volatile): what it has changed is taken over, and made
        # durable, by whoever promotes it. The kernel notes that these layers would not survive
        # a crash and mounts them no more; the next line of a stage needs them again.
        _clear(self._work)
        lower = ":".join(map(_name, self._lower))
        options = f"lowerdir={lower},upperdir={_name(self._upper)},workdir={_name(self._work)}"
        options += ",userxattr,volatile"
        kernel.mount(name, target, "overlay", _NO_SETUID_NO_DEVICES, options)
        # Whoever is left with the folder of a killed run must be able to remove it.
        _open_up(self._work)
        self._close((*self._lower, self._upper, self._work))

    def _close(self, descriptors: Sequence[int]) -> None:
        for descriptor in descriptors:
            os.close(descriptor)


def _clear(folder: int) -> None:
    """Remove what the kernel keeps in a ``work`` folder that is not mounted."""
    for name in reversed(_open_up(folder)):
        remove = os.unlink if name == _KEPT[-1] else os.rmdir
        remove(name, dir_fd=folder)


def _open_up(folder: int) -> list[str]:
    """Give the owner his rights to what the kernel keeps in a ``work`` folder; return the names.

    It closes its folders to everybody; it does not need them closed.
    """
    kept: list[str] = []
    for name in _KEPT:
        try:
            os.chmod(name, 0o700, dir_fd=folder)
        except FileNotFoundError:
            break
        kept.append(name)
    return kept


def _open(path: str) -> int:
    try:
        return os.open(path, _FOLDER)
    except PermissionError as error:
        raise OSError(error.errno, f"layer {path}: {closed(path)}") from None
    except OSError as error:
        raise OSError(error.errno, f"layer {path}: {error.strerror}") from None


def closed(path: str) -> str:
    """Say which folder on the way does not let in whoever has only the rights of one user."""
    parts = path.split("/")
    ways = ("/".join(parts[:count]) for count in range(2, len(parts) + 1))
    shut = next((way for way in ways if not may_enter(way)), path)
    return f"{shut} belongs to somebody else and is closed to others; use another runs directory"


def _name(descriptor: int) -> str:
    return f"/proc/self/fd/{descriptor}"

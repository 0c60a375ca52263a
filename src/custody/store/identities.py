"""What paths of the machine lead to: noted when a sandbox is prepared, compared when it is used.

Most of them are names in one folder. A folder whose change time is what it was has the names that
it had, so that one look tells it of all of them, unless a name is a link or leads to a mount.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import NamedTuple, Self

from custody.store.change_time import COARSE_STEP

Identity = tuple[int, int] | None
"""Device and number of what a path leads to; None where it leads nowhere."""

FOLDER = "/etc"
"""The folder that holds most of them."""


class FolderState(NamedTuple):
    """A folder at one moment, long enough after its last change to show the next one."""

    device: int
    number: int
    changed: int

    @classmethod
    def of(cls, path: str) -> Self | None:
        """Return it; None for a folder that has changed just now, or is not there."""
        try:
            about = os.stat(path)
        except OSError:
            return None
        if time.time_ns() - about.st_ctime_ns <= COARSE_STEP:
            return None
        return cls(about.st_dev, about.st_ino, about.st_ctime_ns)


class LedTo(NamedTuple):
    """What paths led to."""

    folder: FolderState | None
    within: tuple[tuple[str, Identity], ...]
    """Those that its state tells of."""
    apart: tuple[tuple[str, Identity], ...]

    def holds(self, path: str = FOLDER) -> bool:
        """Whether they lead there still; what is mounted over a file since is not seen."""
        same = self.folder is not None and FolderState.of(path) == self.folder
        return _lead_there(self.apart) and (same or _lead_there(self.within))


def note(
    led_to: Iterable[tuple[str, Identity]], folder: FolderState | None, path: str = FOLDER
) -> LedTo:
    """Note where paths lead; ``folder`` is what that one was before any of them was looked at."""
    within: list[tuple[str, Identity]] = []
    apart: list[tuple[str, Identity]] = []
    for name, one in led_to:
        plain = (
            folder is not None and os.path.dirname(name) == path and _is_plain(name, one, folder)
        )
        (within if plain else apart).append((name, one))
    return LedTo(folder, tuple(within), tuple(apart))


def identity(path: str) -> Identity:
    """Return what a path leads to."""
    try:
        about = os.stat(path)
    except OSError:
        return None
    return about.st_dev, about.st_ino


def _is_plain(path: str, one: Identity, folder: FolderState) -> bool:
    """Whether a name leads to what its folder has under it, or there is none."""
    try:
        about = os.lstat(path)
    except OSError:
        return one is None
    return (about.st_dev, about.st_ino) == one and about.st_dev == folder.device


def _lead_there(led_to: Iterable[tuple[str, Identity]]) -> bool:
    return all(_leads_to(path, one) for path, one in led_to)


def _leads_to(path: str, one: Identity) -> bool:
    if one is None:  # asked without an exception, since many are not there
        return not os.access(path, os.F_OK)
    return identity(path) == one

"""Beginnings of runs: folders that have no run's name yet, and what a killed start left of them.

A process that begins a run holds the lock of its folder until the run has its name, or the
folder is gone. So a folder that nobody has locked belongs to nobody.
"""

from __future__ import annotations

import os

from custody.errors import PathRefused, StorageFailed
from custody.model import layout
from custody.model.record import Record
from custody.store.lock import try_lock
from custody.store.resolve import own
from custody.store.root import Root


class RunStart(Record, frozen=True):
    """A run that has not come to be."""

    run_id: str
    path: str
    at_work: bool
    """Whether a process is at it; what nobody is at, the next run clears away."""


def list_starts(runsdir: str) -> list[RunStart]:
    """Return the beginnings in a folder of runs; none when there is no such folder."""
    try:
        with Root.open(os.path.abspath(runsdir), resolver=own) as home:
            return [_start(home, name) for name in _names(home)]
    except PathRefused as refused:
        if refused.code == "missing":
            return []
        raise


def clear_starts(runsdir: str, *, but: str) -> None:
    """Remove what killed starts left, but for that of one run id: whoever claims it clears it.

    What cannot be removed, because it is another user's, stays and is listed.
    """
    with Root.open(runsdir, resolver=own) as home:
        for name in _names(home):
            if name != layout.unpublished(but):
                _clear(home, name)


def remove_start(home: Root, name: str, folder: Root) -> None:
    """Remove a beginning that is open and locked; broken off, what is left still has its name."""
    for inner in folder.names():
        folder.remove_tree(inner)
    home.remove(name)


def _names(home: Root) -> list[str]:
    with home.scan() as entries:
        return sorted(
            entry.name
            for entry in entries
            if layout.is_unpublished(entry.name) and entry.is_dir(follow_symlinks=False)
        )


def _clear(home: Root, name: str) -> None:
    try:
        with home.sub(name) as folder:
            if try_lock(folder):
                remove_start(home, name, folder)
    except (OSError, PathRefused, StorageFailed):
        return  # somebody else's, or somebody else was faster


def _start(home: Root, name: str) -> RunStart:
    try:
        with home.sub(name) as folder:
            at_work = not try_lock(folder)
    except (OSError, PathRefused):
        at_work = False
    run_id = name.removeprefix(layout.unpublished(""))
    return RunStart(run_id=run_id, path=f"{home.path}/{name}", at_work=at_work)

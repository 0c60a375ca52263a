"""Recognises what belongs to runs, in whatever folder they were kept.

A run directory is known by its journal, whose first line follows no other. Beside runs there are
beginnings of runs that have not come to be, and what earlier runs have found in their sources.
"""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet

from custody.errors import CustodyError
from custody.model import layout
from custody.model.event import GENESIS
from custody.patterns import later
from custody.store import files
from custody.store.root import Root

_FIRST_BYTES = 4096
_MARKS = (f'"prev":"{GENESIS}"'.encode(), b'"PipelineStarted"')
_SOURCE = later(r"[0-9]+\.[0-9]+")


def belongs_to_runs(path: str, folder: Root, names: AbstractSet[str]) -> bool:
    """Whether an open folder, which holds these names, is a run or was made beside runs."""
    name = path.rpartition("/")[2]
    if layout.EVENTS in names and _is_journal(folder):
        return True
    if name == layout.SOURCES:
        return bool(names) and all(_SOURCE.fullmatch(one) for one in names)
    return layout.is_unpublished(name) and (not names or layout.BLOBS in names)


def _is_journal(folder: Root) -> bool:
    try:
        descriptor = folder.open_fd(layout.EVENTS, files.READ)
    except CustodyError:
        return False
    try:
        begins = os.read(descriptor, _FIRST_BYTES)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return all(mark in begins for mark in _MARKS)

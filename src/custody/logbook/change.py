"""One step of a history, as it is taken into the logbook."""

from __future__ import annotations

import time
from typing import NamedTuple

from custody.logbook.records import Meta, PatchFormat
from custody.model.record import Record

PATCH_LIMIT = 1 << 20
"""Bytes of a patch that is kept whole; of a larger one what it changed is kept, file by file."""


class HistoryChange(NamedTuple):
    """A commit or a revision."""

    name: str
    """The commit's hash, or the revision's number."""
    committed_at: str
    subject: str
    about: Meta
    """What stands with the commit."""
    patch: bytes
    """Empty where nothing was changed: a merge, an empty commit."""
    format: PatchFormat
    patch_meta: Meta
    """What stands with the patch: binary files, and how large it was before it was cut."""


class Synced(Record, frozen=True):
    """What came of reading a history."""

    repo_id: int
    repo_type: str
    name: str
    location: str
    tip: str
    """Up to where the logbook holds the history now."""
    changes: int
    """Commits or revisions that were new."""
    patches: int
    """Patches that were new."""
    without_patch: int
    """Of the changes: those that changed no file by themselves, as merges do."""
    cut: int
    """Of the patches: those that were too large, and stand as a count of lines for each file."""
    binary_files: int
    """Files whose content no patch shows."""
    notes: tuple[str, ...] = ()
    """What the reader must know: a history that was rewritten, one that is not all there."""


def moment(seconds: int) -> str:
    """Return a time of a history's own as the tables hold it; some clocks were far off."""
    last = 253402300799  # the end of the year 9999
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(min(max(seconds, 0), last)))

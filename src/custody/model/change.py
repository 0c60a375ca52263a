"""What stands in a workspace, and what a stage changed there."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from custody.model.record import Document, Record

EntryKind = Literal["file", "symlink", "dir", "other"]
ChangeKind = Literal["added", "modified", "deleted", "mode"]


class Entry(Record, frozen=True, omit_defaults=True):
    """One name in a workspace. A tree is its entries in order of their paths."""

    path: str
    kind: EntryKind
    mode: int
    """Permission bits."""
    sha256: str = ""
    """Of a file's bytes or of a link's target; empty for a directory."""
    bytes: int = 0
    target: str = ""
    """Where a symlink points, as written."""
    reason: str = ""
    """Why it is ``other``: ``not_regular``, ``hardlink``, ``unreadable``, ``too_large`` …"""


class Change(Record, frozen=True, omit_defaults=True):
    """One path that differs after a stage."""

    path: str
    change: ChangeKind
    before: Entry | None = None
    after: Entry | None = None


class Layer(Record, frozen=True):
    """Digest of the overlay's upper directory, in which a stage's changes were collected."""

    sha256: str
    """Of the listing: one encoded `Entry` a line, sorted by path, whiteouts among them."""
    entries: int


class WorkspaceDiff(Document, frozen=True, kw_only=True):
    """``workspace.diff.json``: everything a stage changed, in order of the paths."""

    changes: tuple[Change, ...]
    layer: Layer | UnsetType = UNSET
    """Where the stage worked on a layer of its own; it is kept when the stage is refused."""
    hidden: tuple[str, ...] | UnsetType = UNSET
    """Paths that the stage was not to see, and what lies below them."""
    dropped: tuple[str, ...] | UnsetType = UNSET
    """Paths whose setuid or setgid bit or capabilities were taken away; nobody gets these."""
    by_programs: tuple[Change, ...] | UnsetType = UNSET
    by_answer: tuple[Change, ...] | UnsetType = UNSET
    """What programs changed and what the answer's edits did, where there were both."""


class Tree(Record, frozen=True):
    """A pointer to a workspace as a whole."""

    sha256: str
    """Of the listing: one encoded `Entry` a line, sorted by path. Its blob has this name."""
    entries: int
    bytes: int
    omitted: tuple[str, ...] = ()
    """Paths of the source that were not copied, such as sockets and ``.git``."""
    dropped: tuple[str, ...] | UnsetType = UNSET
    """Paths of the source whose setuid or setgid bit or capabilities were not copied."""
    excluded: tuple[str, ...] | UnsetType = UNSET
    """Patterns, by gitignore's rules, of what was not copied; told where there are any."""

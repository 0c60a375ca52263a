"""Which workspace paths a stage may change.

An entry is an exact relative path (``src/a.py``) or, with a trailing slash, a directory and
everything below it (``src/``). Matching is by whole components and case-sensitive: ``src``
is one file, and ``src/`` covers neither ``SRC/x`` nor ``src2/x``.
"""

from __future__ import annotations

from collections.abc import Iterable

from custody.errors import PathRefused
from custody.model.record import Record
from custody.model.relpath import RelPath

_GLOB = frozenset("*?[")


class Allowlist(Record, frozen=True):
    """The parsed entries; made by `Allowlist.parse`. No entry means that nothing is allowed."""

    files: frozenset[str]
    directories: tuple[str, ...]
    """Each with its trailing slash, in order."""
    ancestors: frozenset[str]
    """Directories that must exist for an allowed path to exist."""

    @classmethod
    def parse(cls, entries: Iterable[str]) -> Allowlist:
        """Read ``entries``; raises `PathRefused` for the first one that is not allowed.

        Codes are those of `RelPath`, and ``too_broad`` for the workspace itself and ``glob``
        for a pattern.
        """
        files: set[str] = set()
        directories: set[str] = set()
        ancestors: set[str] = set()
        for entry in entries:
            parts = _parts(entry)
            if entry.endswith("/"):
                directories.add(entry)
                ancestors.add(entry[:-1])
            else:
                files.add(entry)
            ancestors.update("/".join(parts[:depth]) for depth in range(1, len(parts)))
        return cls(
            files=frozenset(files),
            directories=tuple(sorted(directories)),
            ancestors=frozenset(ancestors),
        )

    @classmethod
    def of(cls, text: str) -> Allowlist | None:
        """Read ``allowed_write_paths`` as a node has it; None where it says nothing."""
        return cls.parse(part.strip() for part in text.split(",")) if text else None

    def covers(self, path: str) -> bool:
        """Whether a change of ``path`` is allowed."""
        return path in self.files or path.startswith(self.directories)

    def leads_to(self, directory: str) -> bool:
        """Whether ``directory`` is on the way to an allowed path, and so may be created."""
        return directory in self.ancestors


def _parts(entry: str) -> tuple[str, ...]:
    if entry in {".", "./"}:
        raise PathRefused(
            "too_broad",
            f"{entry!r} is the whole workspace",
            hint="name the files and directories, or leave the allowlist out",
        )
    path = RelPath.parse(entry.removesuffix("/") if len(entry) > 1 else entry)
    if not _GLOB.isdisjoint(entry):
        raise PathRefused(
            "glob",
            f"{entry!r} is a pattern",
            hint="name a file, or a directory with a trailing slash",
        )
    return path.parts

"""The documents below a root: which files they are, without those that a repository ignores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from custody.errors import MalformedDocument, PathRefused, StorageFailed
from custody.store.root import Root
from custody.workspace.behaviors import SKIPPED
from custody.workspace.exclusion import IGNORE_FILE, Exclusion

DOCUMENTS = ("*.adoc", "*.markdown", "*.md", "*.rst", "*.txt")
"""What is a document where nobody says which files are."""
_IGNORED = (".gitignore", IGNORE_FILE)
_LIMIT = 1 << 20


def documents(folder: str, patterns: Sequence[str]) -> list[str]:
    """Return the paths of the files that fit patterns of gitignore's form, in order.

    Hidden folders, those that programs make, and what the ignore files at the root name are passed
    over. Raises `MalformedDocument` for a pattern that is none.
    """
    wanted = Exclusion.of(patterns)
    wanted.refuse_malformed()
    with Root.open(folder) as root:
        ignored = _ignored(root)
        return sorted(
            path
            for path in _files(root, ignored)
            if wanted.leaves_out(path, folder=False) and not ignored.leaves_out(path, folder=False)
        )


def _ignored(root: Root) -> Exclusion:
    lines: list[str] = []
    for name in _IGNORED:
        try:
            lines += root.read(name, limit=_LIMIT, links=2).decode().splitlines()
        except (PathRefused, StorageFailed, UnicodeDecodeError):
            continue  # most have none, and what cannot be read ignores nothing
    found = Exclusion.of(lines)
    try:
        found.refuse_malformed()
    except MalformedDocument:
        return Exclusion(())
    return found


def _files(root: Root, ignored: Exclusion) -> Iterator[str]:
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with root.scan(folder) as items:
            for item in items:
                path = f"{folder}/{item.name}" if folder else item.name
                if not item.is_dir(follow_symlinks=False):
                    yield path
                elif not (
                    item.name in SKIPPED
                    or item.name.startswith(".")
                    or ignored.leaves_out(path, folder=True)
                ):
                    waiting.append(path)

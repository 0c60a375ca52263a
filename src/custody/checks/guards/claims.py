"""The names that several files of one answer lay claim to: each may be one file, once.

duplicate         another one has this path
case_collision    another one's path differs by upper and lower case only
prefix_conflict   it would have to be a file and a folder
"""

from __future__ import annotations

from custody.model.relpath import RelPath, caseless


class Claims:
    """What was claimed so far, whether it came to be written or not."""

    def __init__(self) -> None:
        self._spelled: dict[str, str] = {}
        """Every path and every folder above one, by what is left of it without its case."""
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def claim(self, path: RelPath) -> str:
        """Claim a path; return the code of the rule it breaks, empty when it breaks none."""
        above = [*_prefixes(path)]
        text = above.pop()
        if text in self._files:
            return "duplicate"
        if any(self._spelled.get(caseless(name), name) != name for name in (*above, text)):
            return "case_collision"
        if text in self._folders or not self._files.isdisjoint(above):
            return "prefix_conflict"
        self._spelled.update((caseless(name), name) for name in (*above, text))
        self._folders.update(above)
        self._files.add(text)
        return ""


def _prefixes(path: RelPath) -> list[str]:
    """Return the folders above a path, outermost first, and the path itself."""
    parts = path.parts
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]

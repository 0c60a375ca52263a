"""What of a source is not copied: patterns by gitignore's rules, of the settings and of a file.

The patterns are recorded with the tree that was copied, so that whoever takes changes over later
knows which paths the run was never shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Self

from custody.errors import MalformedDocument
from custody.patterns import later
from custody.store.root import Root

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".custodyignore"
_LIMIT = 1 << 20
_NAMED = later(r"\(\?P<\w+>")
"""The names of groups: in one pattern each could stand only once."""
_NEVER = r"(?!)"


class Exclusion:
    """Some patterns; the last one that fits a path decides."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        self.patterns = patterns

    @classmethod
    def of(cls, patterns: Iterable[str]) -> Self:
        """Return the exclusion by these lines; comments and empty ones are passed over."""
        lines = (line.rstrip("\r\n") for line in patterns)
        return cls(tuple(line for line in lines if line.strip() and not line.startswith("#")))

    @classmethod
    def for_source(cls, source: Root, patterns: Iterable[str]) -> Self:
        """Return the exclusion by the settings, then by the file in a source.

        Raises `MalformedDocument` for a pattern that is none.
        """
        lines = list(patterns)
        if source.exists(IGNORE_FILE):
            where = f"{source.path}/{IGNORE_FILE}"
            try:
                text = source.read(IGNORE_FILE, limit=_LIMIT, links=2).decode()
            except UnicodeDecodeError:
                raise MalformedDocument("encoding", "it is not UTF-8", where=where) from None
            lines += text.splitlines()
        found = cls.of(lines)
        found.refuse_malformed()
        return found

    def refuse_malformed(self) -> None:
        """Raise `MalformedDocument` for a pattern that is none."""
        if self.patterns:
            _ = self._spec

    def leaves_out(self, path: str, *, folder: bool = False) -> bool:
        """Whether a path is excluded by itself; what lies below an excluded folder is never asked.

        That is as git does it: nothing below an excluded folder can be taken in again.
        """
        spelled = f"{path}/" if folder else path
        return (
            bool(self.patterns)
            and self._excluding.match(spelled) is not None
            and self._spec.match_file(spelled)
        )

    def covers(self, path: str, *, folder: bool) -> bool:
        """Whether a path, or a folder above it, is excluded."""
        if not self.patterns:
            return False
        parts = path.split("/")
        above = ("/".join(parts[:end]) for end in range(1, len(parts)))
        return self.leaves_out(path, folder=folder) or any(
            self.leaves_out(one, folder=True) for one in above
        )

    @cached_property
    def _excluding(self) -> re.Pattern[str]:
        """All patterns that exclude as one: most paths fit none, and need no further look."""
        regexes = (kind.regex for kind in self._spec.patterns if kind.include)
        texts = (regex.pattern for regex in regexes if regex is not None)
        return re.compile("|".join(f"(?:{_NAMED.sub('(?:', text)})" for text in texts) or _NEVER)

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        from pathspec import GitIgnoreSpec

        try:
            return GitIgnoreSpec.from_lines(self.patterns)
        except ValueError as error:
            what = f"it is no pattern: {error}"
            raise MalformedDocument("pattern", what, where=IGNORE_FILE) from None

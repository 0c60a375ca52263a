"""What of a workspace a stage may not see, and so may not touch either."""

from __future__ import annotations

from collections.abc import Iterable

from custody.model.record import Record

SCENARIOS = "scripts/scenarios"
"""What a product is tried by from outside, hidden from whoever makes it."""


class Holdouts(Record, frozen=True):
    """Hidden paths; whatever lies below one of them is hidden with it."""

    paths: frozenset[str] = frozenset()

    @classmethod
    def of(cls, paths: Iterable[object]) -> Holdouts:
        """Return the holdouts at ``paths``, each a `RelPath` or a name of the workspace."""
        return cls(paths=frozenset(map(str, paths)))

    def and_also(self, other: Holdouts) -> Holdouts:
        """Return what one or the other hides."""
        return Holdouts(paths=self.paths | other.paths)

    def covers(self, path: str) -> bool:
        """Whether ``path`` is hidden, or lies below something that is."""
        if not self.paths:
            return False
        end = len(path)
        while end > 0:
            if path[:end] in self.paths:
                return True
            end = path.rfind("/", 0, end)
        return False

    def lie_below(self, path: str) -> bool:
        """Whether something hidden lies below ``path``."""
        return any(hidden.startswith(f"{path}/") for hidden in self.paths)

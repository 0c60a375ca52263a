"""What a run as a whole has changed, from what its stages changed one after the other."""

from __future__ import annotations

from custody.model.change import Change, ChangeKind, Entry
from custody.model.event import AnyFact, RequestAnswered, StageCompleted, StageFailed, StageRetrying


class NetChanges:
    """Adds up the changes that were kept; those that a check refused were undone."""

    def __init__(self) -> None:
        self._answered: tuple[Change, ...] = ()
        self._net: dict[str, tuple[Entry | None, Entry | None]] = {}

    def add(self, fact: AnyFact, changes: tuple[Change, ...]) -> None:
        """Take one more fact into account; ``changes`` are those of an answer."""
        if isinstance(fact, RequestAnswered):
            self._answered = changes
        elif isinstance(fact, StageRetrying | StageCompleted | StageFailed):
            if not fact.outcome.refused:
                self._keep()
            self._answered = ()

    def changes(self) -> tuple[Change, ...]:
        """Return every path that differs by now, in order of the paths."""
        return tuple(
            Change(path=path, change=_kind(before, after), before=before, after=after)
            for path, (before, after) in sorted(self._net.items())
            if before != after
        )

    def _keep(self) -> None:
        for change in self._answered:
            first = self._net.get(change.path, (change.before, None))[0]
            self._net[change.path] = (first, change.after)


def _kind(before: Entry | None, after: Entry | None) -> ChangeKind:
    if before is None:
        return "added"
    if after is None:
        return "deleted"
    same = (before.kind, before.sha256, before.target) == (after.kind, after.sha256, after.target)
    return "mode" if same else "modified"

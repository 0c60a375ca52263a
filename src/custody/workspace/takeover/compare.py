"""Compares the changes of a run with what stands in a folder: what is due, and what is in the way.

A change is due where the folder holds exactly what the run found there: type, content and mode. It
is there already where the folder holds what the run made of it. Anything else is a conflict, and
all of them are told at once.

A folder that the run removed stays where it holds more than the run knew of. Changes at excluded
paths are left out: the run never saw what stands there.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping

from custody.errors import PathRefused
from custody.model import layout
from custody.model.change import Change, Entry
from custody.model.relpath import forbidden
from custody.store.root import Root
from custody.workspace.takeover import Conflict, StepKind, TakeoverStep
from custody.workspace.takeover.look import below, look, same

_ORDER: tuple[StepKind, ...] = (
    "remove",
    "remove_folder",
    "make_folder",
    "add",
    "replace",
    "set_mode",
)
_DEEPEST_FIRST = frozenset({"remove_folder", "set_mode"})
_OPEN = stat.S_IWUSR | stat.S_IXUSR
_FOLDER_MODE = 0o755


class Comparison:
    """What is to be done in a folder so that it has every change, and what prevents it."""

    def __init__(
        self,
        root: Root,
        changes: Iterable[Change],
        final: Mapping[str, Entry],
        excluded: Callable[[Change], bool],
    ) -> None:
        self.due: list[Change] = []
        self.unchanged: list[str] = []
        """Paths that are as the run left them."""
        self.left_out: list[str] = []
        """Paths that are excluded."""
        self.conflicts: list[Conflict] = []
        self._root = root
        self._final = final
        self._changes = {change.path: change for change in changes}
        self._steps: dict[tuple[StepKind, str], TakeoverStep] = {}
        self._looked_above: set[str] = set()
        for change in self._changes.values():
            if excluded(change):
                self.left_out.append(change.path)
            else:
                self._compare(change)

    def steps(self) -> tuple[TakeoverStep, ...]:
        """Return everything to do, in an order that can be followed and, backwards, undone."""
        by_path = sorted(self._steps.values(), key=lambda step: step.path.split("/"))
        return tuple(
            step
            for kind in _ORDER
            for step in (reversed(by_path) if kind in _DEEPEST_FIRST else by_path)
            if step.kind == kind
        )

    def _compare(self, change: Change) -> None:
        try:
            _refuse_path(change)
            actual = look(self._root, change.path)
        except PathRefused as refused:
            self._refuse(change.path, refused.what)
            return
        if _is_there(change, actual):
            self.unchanged.append(change.path)
        elif not _is_as_found(change.before, change.after, actual):
            self._refuse(change.path, _difference(change.before, actual))
        else:
            self.due.append(change)
            self._take(change)

    def _take(self, change: Change) -> None:
        before, after = change.before, change.after
        self._look_above(change.path)
        if before is not None and after is not None and (_is_dir(before) == _is_dir(after)):
            self._add("set_mode" if _is_dir(after) else "replace", change.path, before, after)
            return
        if before is not None:
            self._add("remove_folder" if _is_dir(before) else "remove", change.path, before, None)
            if _is_dir(before) and after is not None:
                self._refuse_unknown_below(change.path)
        if after is not None:
            self._make(change.path, after)

    def _make(self, path: str, after: Entry) -> None:
        if not _is_dir(after):
            self._add("add", path, None, after)
            return
        self._add("make_folder", path, None, after)
        if after.mode & stat.S_IRWXU != stat.S_IRWXU:  # it is closed when all is in it
            self._add("set_mode", path, None, after)

    def _add(self, kind: StepKind, path: str, before: Entry | None, after: Entry | None) -> None:
        self._steps[kind, path] = TakeoverStep(kind=kind, path=path, before=before, after=after)

    def _look_above(self, path: str) -> None:
        """See to the folders on the way: missing ones are made, closed ones are in the way."""
        folder = path.rpartition("/")[0]
        if not folder or folder in self._looked_above:
            return
        self._looked_above.add(folder)
        self._look_above(folder)
        change = self._changes.get(folder)
        if change is not None and (change.before is None or not _is_dir(change.before)):
            return  # it is compared for itself
        actual = look(self._root, folder)
        if actual is None and change is None:
            default = Entry(path=folder, kind="dir", mode=_FOLDER_MODE)
            self._make(folder, self._final.get(folder, default))
        elif actual is not None and _is_dir(actual):
            if os.geteuid() and actual.mode & _OPEN != _OPEN:
                self._refuse(folder, f"the folder is closed to its owner (mode {actual.mode:04o})")
        elif change is None:
            self._refuse(folder, "it is no folder any more")

    def _refuse_unknown_below(self, folder: str) -> None:
        for path in below(self._root, folder):
            if path not in self._changes:
                what = "it stands where the run has made a file of the folder"
                self._refuse(path, what)

    def _refuse(self, path: str, what: str) -> None:
        self.conflicts.append(Conflict(path=path, what=what))


def _refuse_path(change: Change) -> None:
    if layout.top_of(change.path) == layout.TAKEOVER:
        raise PathRefused("denied", "it belongs to custody")
    if found := forbidden(change.path):
        raise PathRefused(found.code, found.reason)
    for entry in (change.before, change.after):
        if entry is not None and entry.kind == "other":
            raise PathRefused(entry.reason, "it is no file, folder or symlink")


def _is_dir(entry: Entry) -> bool:
    return entry.kind == "dir"


def _is_there(change: Change, actual: Entry | None) -> bool:
    """Whether a path is as the run left it; a folder that was to be made may have any mode."""
    after = change.after
    if change.before is None and after is not None and actual is not None:
        return (_is_dir(after) and _is_dir(actual)) or same(after, actual)
    return same(after, actual)


def _is_as_found(before: Entry | None, after: Entry | None, actual: Entry | None) -> bool:
    """Whether a path is as the run found it; the mode of a folder that goes does not matter."""
    if before is None or actual is None:
        return before is actual
    if _is_dir(before) and (after is None or not _is_dir(after)):
        return _is_dir(actual)
    return same(before, actual)


def _difference(before: Entry | None, actual: Entry | None) -> str:
    if before is None:
        return "the run made it anew, and something else is there by now"
    if actual is None:
        return "the run found it, and it is gone"
    if before.kind != actual.kind:
        names = {"dir": "a folder", "file": "a file", "symlink": "a symlink"}
        other = "something else"
        return f"it was {names.get(before.kind, other)} and is {names.get(actual.kind, other)}"
    if before.sha256 != actual.sha256:
        return "its content is not what the run found"
    return f"its mode is {actual.mode:04o}, and the run found {before.mode:04o}"

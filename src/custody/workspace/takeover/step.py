"""One step of a takeover: doing it, undoing it, and finding out whether it was done.

What a step adds waits as ``new.<number>`` beside the plan, and what it takes away lies there as
``old.<number>``; where two files change places, the old one lies where the new one waited. So at
every moment the names there tell how far a step has come, also to another process.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from custody.errors import PathRefused
from custody.model.change import Entry
from custody.store import files, syscalls
from custody.store.os_errors import failure
from custody.store.root import Root
from custody.workspace.rights import lowered
from custody.workspace.takeover import Conflict, StepKind, TakeoverStep
from custody.workspace.takeover.look import look, same

_NO_EXCHANGE = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}
"""How a file system says that it cannot let two names change places."""
_STAYS_OR_GONE = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR}
CHANGED = "somebody changed it at the same moment"


_Way = Callable[[int, TakeoverStep], None]


class InTheWay(Exception):
    """What stands at a path is not what a step needs; the path is as it was."""

    def __init__(self, step: TakeoverStep, what: str) -> None:
        super().__init__(what)
        self.conflict = Conflict(path=step.path, what=what)


def new_name(number: int) -> str:
    """Return how that is called which a step adds, until it does."""
    return f"new.{number}"


def old_name(number: int) -> str:
    """Return how that is called which a step took away."""
    return f"old.{number}"


class Stepper:
    """Does the steps of one plan in a folder, with what waits in the folder of the plan."""

    def __init__(self, root: Root, beside: Root) -> None:
        self._root = root
        self._beside = beside
        self._ways: dict[StepKind, tuple[_Way, _Way]] = {
            "remove": (self._remove, self._undo_remove),
            "remove_folder": (self._remove_folder, self._undo_remove_folder),
            "make_folder": (self._make_folder, self._undo_make_folder),
            "add": (self._add, self._undo_add),
            "replace": (self._replace, self._undo_replace),
            "set_mode": (self._set_mode, self._undo_set_mode),
        }
        """How each kind of step is done, and undone."""

    def do(self, number: int, step: TakeoverStep) -> None:
        """Do what is left of a step; raises `InTheWay`, `PathRefused` and `StorageFailed`."""
        try:
            self._ways[step.kind][0](number, step)
        except OSError as error:
            raise failure(error, f"{self._root.path}/{step.path}") from error

    def undo(self, number: int, step: TakeoverStep) -> None:
        """Take a step back if it was done; raises as `do` does."""
        try:
            self._ways[step.kind][1](number, step)
        except OSError as error:
            raise failure(error, f"{self._root.path}/{step.path}") from error

    def _remove(self, number: int, step: TakeoverStep) -> None:
        if not self._beside.exists(old_name(number)):
            self._take_away(number, step, step.before)

    def _undo_remove(self, number: int, step: TakeoverStep) -> None:
        if self._beside.exists(old_name(number)):
            self._put(old_name(number), step)

    def _add(self, number: int, step: TakeoverStep) -> None:
        if self._beside.exists(new_name(number)):
            self._put(new_name(number), step)

    def _undo_add(self, number: int, step: TakeoverStep) -> None:
        if not self._beside.exists(new_name(number)):
            self._take_away(number, step, step.after)

    def _replace(self, number: int, step: TakeoverStep) -> None:
        if self._beside.exists(old_name(number)):
            self._add(number, step)  # the file system cannot exchange: the rest of the other way
        elif self._waits(number, step) and not self._exchanged(number, step, step.before):
            self._take_away(number, step, step.before)
            self._put(new_name(number), step)

    def _undo_replace(self, number: int, step: TakeoverStep) -> None:
        if self._beside.exists(old_name(number)):
            self._undo_in_two(number, step)
        elif not self._waits(number, step):
            self._exchanged(number, step, step.after)

    def _undo_in_two(self, number: int, step: TakeoverStep) -> None:
        if not self._beside.exists(new_name(number)):
            self._move_aside(new_name(number), step, step.after)
        self._put(old_name(number), step)

    def _remove_folder(self, _number: int, step: TakeoverStep) -> None:
        """Remove a folder if it is empty; one that holds more than the run knew of stays."""
        try:
            with self._root.parent(step.path) as (folder, name):
                os.rmdir(name, dir_fd=folder)
        except OSError as error:
            if error.errno not in _STAYS_OR_GONE:
                raise

    def _undo_remove_folder(self, _number: int, step: TakeoverStep) -> None:
        if step.before is not None and not self._root.exists(step.path):
            self._make(step, lowered(step.before).mode)

    def _make_folder(self, _number: int, step: TakeoverStep) -> None:
        if step.after is not None and not self._root.exists(step.path):
            self._make(step, lowered(step.after).mode | stat.S_IRWXU)

    def _undo_make_folder(self, number: int, step: TakeoverStep) -> None:
        self._remove_folder(number, step)

    def _set_mode(self, _number: int, step: TakeoverStep) -> None:
        self._change_mode(step, step.before, step.after)

    def _undo_set_mode(self, _number: int, step: TakeoverStep) -> None:
        if step.before is None:
            if step.after is not None and self._root.exists(step.path):
                self._root.change_mode(step.path, step.after.mode | stat.S_IRWXU)
        else:
            self._change_mode(step, step.after, step.before)

    def _make(self, step: TakeoverStep, mode: int) -> None:
        with self._root.parent(step.path) as (folder, name):
            os.mkdir(name, mode, dir_fd=folder)
            os.chmod(name, mode, dir_fd=folder)

    def _change_mode(self, step: TakeoverStep, wanted: Entry | None, due: Entry | None) -> None:
        actual = look(self._root, step.path)
        if due is None or actual is None or same(actual, due):
            return
        if wanted is not None and not same(actual, wanted):
            raise InTheWay(step, CHANGED)
        self._root.change_mode(step.path, lowered(due).mode)

    def _waits(self, number: int, step: TakeoverStep) -> bool:
        """Whether the new file waits; else the old one lies in its place."""
        return self._beside.stat(new_name(number)).st_ino == step.inode

    def _put(self, waiting: str, step: TakeoverStep) -> None:
        with self._root.parent(step.path) as (folder, name):
            try:
                _rename_exclusively(self._beside.fd, waiting, folder, name)
            except FileExistsError:
                raise InTheWay(step, "something is there by now") from None

    def _take_away(self, number: int, step: TakeoverStep, wanted: Entry | None) -> None:
        name = old_name(number) if wanted is step.before else new_name(number)
        self._move_aside(name, step, wanted)

    def _move_aside(self, aside: str, step: TakeoverStep, wanted: Entry | None) -> None:
        """Move what stands there away, look at it, and move it back if it is not as wanted."""
        with self._root.parent(step.path) as (folder, name):
            try:
                os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=self._beside.fd)
            except (FileNotFoundError, NotADirectoryError):
                raise InTheWay(step, "it is gone") from None
            if not self._is(aside, wanted):
                _rename_exclusively(self._beside.fd, aside, folder, name)
                raise InTheWay(step, CHANGED)

    def _exchanged(self, number: int, step: TakeoverStep, wanted: Entry | None) -> bool:
        """Let the two files change places, and back if what came is not as wanted.

        Return False where the file system cannot do it; nothing has happened then.
        """
        waiting = new_name(number)
        with self._root.parent(step.path) as (folder, name):
            try:
                syscalls.exchange_between(self._beside.fd, waiting, folder, name)
            except (FileNotFoundError, NotADirectoryError):
                raise InTheWay(step, "it is gone") from None
            except OSError as error:
                if error.errno in _NO_EXCHANGE:
                    return False
                raise
            if not self._is(waiting, wanted):
                syscalls.exchange_between(self._beside.fd, waiting, folder, name)
                raise InTheWay(step, CHANGED)
        return True

    def _is(self, name: str, wanted: Entry | None) -> bool:
        try:
            return same(look(self._beside, name), wanted)
        except PathRefused:
            return False


def _rename_exclusively(source: int, name: str, into: int, target: str) -> None:
    """Rename to a name that is free, from one folder to another; raises `FileExistsError`."""
    try:
        syscalls.move_exclusively(source, name, into, target)
    except OSError as error:
        if error.errno not in _NO_EXCHANGE:
            raise
        if files.present(into, target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
        os.rename(name, target, src_dir_fd=source, dst_dir_fd=into)

"""All steps of taking changes over, with a plan beside them.

Everything new is made in a folder of its own inside the target first, and is durable there. Then
the folder is compared once more, the plan is written, and from that moment on the takeover counts
as begun: whoever is killed later leaves a plan by which the next one finishes, or undoes, it. The
steps themselves are renames.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from msgspec.structs import replace

from custody.errors import CustodyError, PathRefused, Refused, RunError
from custody.model import layout
from custody.model.change import Change, Entry
from custody.model.record import decode, encode_pretty
from custody.model.relpath import forbidden
from custody.store import files, syscalls
from custody.store.lock import try_lock
from custody.store.os_errors import failure
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.restore import Restoration
from custody.workspace.rights import lowered, pass_on
from custody.workspace.takeover import Conflict, TakeoverPlan, TakeoverStep
from custody.workspace.takeover.compare import Comparison
from custody.workspace.takeover.look import look, same
from custody.workspace.takeover.step import InTheWay, Stepper, new_name

_SHOWN = 10
_SYNC_EACH = 16
"""How many files are synced one by one."""


@contextmanager
def open_target(folder: str) -> Iterator[Root]:
    """Open a folder of the user's for one takeover at a time; raises `Refused` when one is on."""
    with Root.open(folder) as root:
        try:
            free = try_lock(root)
        except OSError as error:
            raise failure(error, folder) from error
        if not free:
            what = "another process is taking changes over to this folder"
            raise Refused("apply", what, where=folder, hint="wait for it, or end it")
        yield root


# BEHAVIOR_ID: B015
class Takeover:
    """Takes the changes of one run over to one open and locked folder."""

    def __init__(
        self,
        root: Root,
        run: RunDirectory,
        changes: tuple[Change, ...],
        final: Mapping[str, Entry],
        excluded: Callable[[Change], bool],
    ) -> None:
        self._root = root
        self._run = run
        self._changes = changes
        self._final = final
        self._excluded = excluded

    def compare(self) -> Comparison:
        """Return what is to be done, and what prevents it; nothing is changed."""
        return Comparison(self._root, self._changes, self._final, self._excluded)

    def take(self) -> Comparison:
        """Take everything over, or nothing where there is a conflict.

        Raises `StorageFailed` and `BlobDamaged`; the folder is as it was then.
        """
        found = self.compare()
        if found.conflicts or not found.steps():
            return found
        self._root.make_dir(layout.TAKEOVER, 0o700)
        try:
            with self._root.sub(layout.TAKEOVER) as beside:
                steps = self._stage(found.steps(), beside)
                found = self.compare()
                if not found.conflicts:
                    conflict = self._follow(steps, beside)
                    found.conflicts.extend([conflict] if conflict else ())
        except BaseException:
            if not plan_of(self._root):
                clear(self._root)
            raise
        clear(self._root)
        return found

    def _stage(self, steps: tuple[TakeoverStep, ...], beside: Root) -> tuple[TakeoverStep, ...]:
        """Make everything that is new, durable; return the steps that know it."""
        restoration = Restoration(self._run.root, self._run.blobs)
        staged = []
        for number, step in enumerate(steps):
            if step.kind in {"add", "replace"} and step.after is not None:
                name = new_name(number)
                made = replace(step.after, path=name)
                restoration.put_back(beside, {name: (made, None)}, {})
                if step.before is not None and step.before.kind == made.kind == "file":
                    _pass_on(self._root, step, beside, made)
                if not same(look(beside, name), made):
                    raise RunError("what was copied differs from the record", where=step.path)
                staged.append(replace(step, inode=beside.stat(name).st_ino))
            else:
                staged.append(step)
        waiting = [new_name(number) for number, step in enumerate(staged) if step.inode]
        _sync(beside, [name for name in waiting if not _is_link(beside, name)])
        return tuple(staged)

    def _follow(self, steps: tuple[TakeoverStep, ...], beside: Root) -> Conflict | None:
        """Write the plan and do its steps; return what was in the way after undoing them."""
        state = os.fstat(beside.fd)
        plan = TakeoverPlan(
            run_id=self._run.run_id, device=state.st_dev, inode=state.st_ino, steps=steps
        )
        beside.write(layout.TAKEOVER_PLAN, encode_pretty(plan), sync=True)
        return follow(self._root, beside, plan)


def _pass_on(root: Root, step: TakeoverStep, beside: Root, made: Entry) -> None:
    """Let what was made belong to whom the file does whose place it takes."""
    old = root.open_fd(step.path, files.READ | os.O_NOFOLLOW)
    try:
        new = beside.open_fd(made.path, files.READ | os.O_NOFOLLOW)
        try:
            if not pass_on(old, new, lowered(made).mode):
                group = os.fstat(old).st_gid
                what = f"a new file cannot be given its group, {group}, whose rights it has"
                hint = "take the changes over as somebody who is in that group"
                raise Refused("apply", what, where=f"{root.path}/{step.path}", hint=hint)
        finally:
            os.close(new)
    except OSError as error:
        raise failure(error, f"{root.path}/{step.path}") from error
    finally:
        os.close(old)


def follow(root: Root, beside: Root, plan: TakeoverPlan) -> Conflict | None:
    """Do what is left of a plan; return what was in the way after everything was undone.

    Raises `Refused` when somebody changed what would have to be undone: then the plan stays.
    """
    stepper = Stepper(root, beside)
    try:
        for number, step in enumerate(plan.steps):
            stepper.do(number, step)
        _sync_folders(root, plan)
    except InTheWay as found:
        _undo(stepper, root, plan)
        beside.remove(layout.TAKEOVER_PLAN)
        return found.conflict
    except (CustodyError, KeyboardInterrupt):
        _undo(stepper, root, plan)
        beside.remove(layout.TAKEOVER_PLAN)
        raise
    beside.remove(layout.TAKEOVER_PLAN)
    return None


def finish(root: Root) -> tuple[str, Conflict | None]:
    """Finish, or undo, what a killed process left in a folder; return whose changes they were.

    The name is empty when nothing was left, or nothing had been done yet.
    """
    plan = plan_of(root)
    if plan is None:
        clear(root)
        return "", None
    with root.sub(layout.TAKEOVER) as beside:
        _refuse_foreign(plan, beside)
        conflict = follow(root, beside, plan)
    clear(root)
    return plan.run_id, conflict


def plan_of(root: Root) -> TakeoverPlan | None:
    """Return the plan that a takeover has left in a folder; None when it had not come to that."""
    path = f"{layout.TAKEOVER}/{layout.TAKEOVER_PLAN}"
    if not root.exists(path):
        return None
    return decode(root.read(path), TakeoverPlan, where=f"{root.path}/{path}")


def clear(root: Root) -> None:
    """Remove what a takeover made for itself."""
    if root.exists(layout.TAKEOVER):
        root.remove_tree(layout.TAKEOVER)


def _refuse_foreign(plan: TakeoverPlan, beside: Root) -> None:
    """Refuse a plan that was not made here: whoever wrote a repository may have put it there."""
    state = os.fstat(beside.fd)
    here = (plan.device, plan.inode) == (state.st_dev, state.st_ino)
    if not here or any(forbidden(step.path) for step in plan.steps):
        what = "this was not left by custody in this folder: it came with a copy of it"
        raise Refused("apply", what, where=beside.path, hint="look at it, then remove it")


def _undo(stepper: Stepper, root: Root, plan: TakeoverPlan) -> None:
    stuck: list[str] = []
    for number, step in reversed([*enumerate(plan.steps)]):
        try:
            stepper.undo(number, step)
        except InTheWay as found:
            stuck.append(f"{step.path}: {found.conflict.what}")
        except PathRefused as refused:
            stuck.append(f"{step.path}: {refused.what}")
    _sync_folders(root, plan)
    if stuck:
        shown = [*stuck[:_SHOWN], *([f"and {len(stuck) - _SHOWN} more"] if stuck[_SHOWN:] else ())]
        what = f"run {plan.run_id} was taken over in part, and that cannot be undone:"
        kept = f"{root.path}/{layout.TAKEOVER}"
        raise Refused(
            "apply",
            "\n".join((what, *shown)),
            where=root.path,
            hint=f"what was replaced lies in {kept}; remove that folder when you are done",
        )


def _sync_folders(root: Root, plan: TakeoverPlan) -> None:
    """Make the names durable that the steps of a plan have changed."""
    above = {step.path.rpartition("/")[0] for step in plan.steps}
    _sync(root, [folder for folder in sorted(above) if not folder or root.exists(folder)])


def _sync(root: Root, paths: list[str]) -> None:
    """Make files, or the names in folders, durable; many of them with the whole file system."""
    try:
        if len(paths) > _SYNC_EACH:
            syscalls.syncfs(root.fd)
            return
        for path in paths:
            if path:
                with root.parent(path) as (folder, name):
                    files.sync(folder, name)
        os.fsync(root.fd)
    except OSError as error:
        raise failure(error, root.path) from error


def _is_link(root: Root, path: str) -> bool:
    return stat.S_ISLNK(root.stat(path).st_mode)

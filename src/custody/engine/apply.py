"""Taking over what a run changed: into a folder of the user's, or as a commit on a new branch.

The record is proved first: the chain, what the journal names, and that the answers lead to these
decisions. What is taken over are the net changes that `custody diff` shows, with the contents of
the blobs, each checked against its hash. Nothing comes from the run's workspace itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from custody.engine.audit import Audit
from custody.engine.verification import Mismatch
from custody.errors import Refused, RunError, RunLocked, UsageError
from custody.model import layout
from custody.model.change import Change, ChangeKind, Entry, Tree
from custody.model.documents import Summary
from custody.model.event import GateFailed, GatePassed
from custody.model.fact import RunStatus
from custody.model.holdouts import Holdouts
from custody.model.record import Record
from custody.store.history import History
from custody.store.lock import is_locked
from custody.store.places import identity, is_folder, lies_in
from custody.store.resolve import own
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.exclusion import Exclusion
from custody.workspace.takeover import Conflict
from custody.workspace.takeover.takeover import Takeover, finish, open_target, plan_of
from custody.workspace.workspace import read_tree


class AppliedChange(Record, frozen=True):
    """One path that is, or would be, changed."""

    path: str
    change: ChangeKind


class Applied(Record, frozen=True, kw_only=True):
    """What came of it. Where there are conflicts, nothing was changed."""

    run_id: str
    verdict: RunStatus
    head: str
    """Of the journal whose changes these are."""
    folder: str
    dry_run: bool = False
    branch: str = ""
    commit: str = ""
    changes: tuple[AppliedChange, ...] = ()
    unchanged: tuple[str, ...] = ()
    """Paths that were as the run left them."""
    left_out: tuple[str, ...] = ()
    """Paths that are excluded, or that git ignores or cannot hold."""
    conflicts: tuple[Conflict, ...] = ()
    finished: str = ""
    """The run whose takeover was broken off in this folder, and was finished or undone first."""


class Proved(NamedTuple):
    """A run whose record holds."""

    run: RunDirectory
    history: History
    summary: Summary
    changes: tuple[Change, ...]
    base: dict[str, Entry]
    excluded: Callable[[Change], bool]

    @property
    def final(self) -> dict[str, Entry]:
        """Everything that the run left."""
        after = {change.path: change.after for change in self.changes}
        entries = {**self.base, **after}
        return {path: entry for path, entry in entries.items() if entry is not None}

    def verdicts(self) -> Iterator[str]:
        """Yield for each stage how it ended, and what its gates said of its last attempt."""
        gates: dict[str, list[str]] = {}
        for _, fact in self.history.lines():
            if isinstance(fact, GatePassed | GateFailed):
                said = "passed" if isinstance(fact, GatePassed) else "failed"
                folder = layout.attempt_folder(fact.node, fact.visit, fact.attempt)
                gates.setdefault(folder, []).append(f"{fact.gate} {said}")
        for stage in self.summary.stages:
            told = ", ".join(dict.fromkeys(gates.get(stage.folder, ())))
            yield f"{layout.request_of(stage.folder)}: {stage.outcome}" + (
                f" ({told})" if told else ""
            )


def apply(
    path: str,
    folder: str = "",
    *,
    branch: str = "",
    failed: bool = False,
    dry_run: bool = False,
    ignored: bool = False,
) -> Applied:
    """Take the changes of a run over to its source, or to ``folder``.

    With ``branch`` they become a commit of the repository there, and no file is touched; what git
    ignores is in it only with ``ignored``. A run that did not pass is taken over only when it is
    asked for by ``failed``. Raises `RunError` for a record that does not hold, and `Refused`.
    """
    with RunDirectory.open(path, write=False) as run:
        proved = _prove(run, failed=failed)
        target = _target(proved, folder)
        if branch:
            from custody.engine.apply_branch import commit

            return commit(proved, target, branch, dry_run=dry_run, ignored=ignored)
        return _into_folder(proved, target, dry_run=dry_run)


def _into_folder(proved: Proved, folder: str, *, dry_run: bool) -> Applied:
    with open_target(folder) as root:
        takeover = Takeover(root, proved.run, proved.changes, proved.final, proved.excluded)
        finished = ""
        if dry_run:
            left = plan_of(root)
            if left is not None:
                what = f"taking run {left.run_id} over was broken off here"
                hint = f"`custody apply {left.run_id} --to {folder}` finishes or undoes it"
                raise Refused("apply", what, where=folder, hint=hint)
            found = takeover.compare()
        else:
            finished, conflict = finish(root)
            found = takeover.compare() if conflict else takeover.take()
    changes = [AppliedChange(path=one.path, change=one.change) for one in found.due]
    return Applied(
        run_id=proved.run.run_id,
        verdict=proved.summary.status,
        head=proved.summary.head,
        folder=folder,
        dry_run=dry_run,
        changes=tuple(changes),
        unchanged=tuple(found.unchanged),
        left_out=tuple(found.left_out),
        conflicts=tuple(found.conflicts),
        finished=finished,
    )


def _prove(run: RunDirectory, *, failed: bool) -> Proved:
    if is_locked(run.root):
        what = f"run {run.run_id} is at work: nothing is applied"
        raise RunLocked(what, where=run.path, hint="wait for it, or end it")
    audit = Audit(run)
    if broken := next(_broken(audit), None):
        what = f"the record does not hold: nothing is applied ({broken.where}: {broken.what})"
        hint = f"`custody verify {run.run_id}` lists every mismatch"
        raise RunError(what, where=run.path, hint=hint)
    history, summary = audit.history, audit.result().summary
    if summary.status != "PASS" and not failed:
        ended, hint = "failed", "--failed takes over what its stages changed"
        if summary.status != "FAIL":
            ended, hint = "has not ended", f"`custody resume {run.run_id}`, or {hint}"
        what = f"run {run.run_id} {ended}: nothing is applied"
        raise RunError(what, where=run.path, hint=hint)
    tree = history.genesis.workspace
    return Proved(
        run,
        history,
        summary,
        audit.net_changes(),
        read_tree(run, tree),
        _exclusion(tree),
    )


def _exclusion(tree: Tree) -> Callable[[Change], bool]:
    """Return what tells whether a run was never shown what stands at the path of a change."""
    omitted, excluded = Holdouts.of(tree.omitted), Exclusion.of(tree.excluded or ())

    def covers(change: Change) -> bool:
        folder = "dir" in {entry.kind for entry in (change.before, change.after) if entry}
        return omitted.covers(change.path) or excluded.covers(change.path, folder=folder)

    return covers


def _broken(audit: Audit) -> Iterator[Mismatch]:
    yield from audit.chain()
    yield from audit.read()
    yield from audit.last_tree()
    yield from audit.evidence()
    yield from audit.decisions()


def _is_source(run: RunDirectory, folder: str) -> bool:
    """Whether a run beside this one, or this one itself, was over the folder."""
    found = identity(folder)
    with Root.open(os.path.dirname(run.path), resolver=own) as home:
        return found is not None and home.exists(layout.source(*found))


def _target(proved: Proved, folder: str) -> str:
    target = folder or proved.history.genesis.workdir
    if not target:
        hint = "`--to DIR` names a folder"
        raise UsageError(f"run {proved.run.run_id} began with an empty workspace", hint=hint)
    if not is_folder(target):
        hint = "" if folder else "the run's source is not here: `--to DIR` names another folder"
        raise UsageError("there is no such folder", where=target, hint=hint)
    if not folder and not os.path.isabs(target) and not _is_source(proved.run, target):
        what = f"the run was copied from {target!r}, seen from another folder than this one"
        raise UsageError(what, hint="`--to DIR` says where its source is")
    if lies_in(target, proved.run.path):
        raise Refused("apply", "a run cannot be applied to its own directory", where=target)
    return target

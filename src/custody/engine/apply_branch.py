"""What a run changed, as one commit on a new branch of the user's repository.

Its parent is HEAD, and every path that the run changed must be in HEAD as the run found it: the
same content, as `git add` would take it or byte for byte, and the same of git's modes. The work
tree may look as it likes. What git ignores or cannot hold is left out, and told; what a patch names
is committed though git ignores it, as `git apply --index` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from custody.engine.apply import Applied, AppliedChange, Proved
from custody.model.change import Change, Entry
from custody.model.relpath import forbidden
from custody.patch import EXECUTABLE, REGULAR, SYMLINK
from custody.store.scratch import scratch
from custody.workspace.repository import Held, Repository
from custody.workspace.takeover import Conflict

_SUBMODULE = "160000"


class _Due(NamedTuple):
    """One path of the commit."""

    change: Change
    after: Entry | None
    filtered: bool
    """Whether git changes the content on its way in."""


class _Compared:
    """What of a run's changes is due, left out or in the way."""

    def __init__(self, proved: Proved, repository: Repository, *, ignored: bool = False) -> None:
        self.due: list[_Due] = []
        self.unchanged: list[str] = []
        self.left_out: list[str] = []
        self.conflicts: list[Conflict] = []
        self._proved = proved
        self._repository = repository
        paths = [change.path for change in proved.changes]
        above = {folder for path in paths for folder in _above(path)}
        above |= {folder for folder in _above(f"{repository.prefix}x") if folder}
        self._held = repository.held([*paths, *above])
        loose = [path for path in paths if path not in self._held]
        self._ignored = set[str]() if ignored else repository.ignored(loose)
        self._empty = _empty_folders(proved.final)
        for change in proved.changes:
            self._compare(change)

    def _compare(self, change: Change) -> None:
        path = change.path
        before, after = _as_file(change.before), _as_file(change.after)
        if before is None and after is None:
            if change.after is not None and path in self._empty:
                self.left_out.append(path)
        elif _mode(before) == _mode(after) and _sha(before) == _sha(after):
            self.left_out.append(path)  # git does not know such a mode
        elif self._proved.excluded(change) or path in self._ignored:
            self.left_out.append(path)
        elif found := forbidden(path):
            self._refuse(path, found.reason)
        elif inside := self._submodule(path):
            self._refuse(path, f"it lies in the submodule {inside}")
        else:
            self._compare_held(change, before, after)

    def _compare_held(self, change: Change, before: Entry | None, after: Entry | None) -> None:
        path, held = change.path, self._held.get(change.path)
        if self._is(held, after, path) is not None:
            self.unchanged.append(path)
            return
        found = self._is(held, before, path)
        if found is not None:
            self.due.append(_Due(change, after, found))
        elif before is None:
            self._refuse(path, "the run made it anew, and HEAD holds something else there")
        elif held is None:
            self._refuse(path, "HEAD does not hold it: what the run found was not committed")
        else:
            self._refuse(path, "HEAD does not hold it as the run found it")

    def _is(self, held: Held | None, entry: Entry | None, path: str) -> bool | None:
        """Whether HEAD holds an entry: by git's filters, or (False) as it is; None when not."""
        if held is None or entry is None:
            return True if held is None and entry is None else None
        if held.mode != f"{_mode(entry):o}":
            return None
        data = content(self._proved, entry)
        ways = (True, False) if entry.kind == "file" else (False,)
        for filtered in ways:
            if self._repository.blob(path, data, filtered=filtered) == held.name:
                return filtered
        return None

    def _submodule(self, path: str) -> str:
        for folder in _above(path):
            held = self._held.get(folder)
            if held is not None and held.mode == _SUBMODULE:
                return folder
        return ""

    def _refuse(self, path: str, what: str) -> None:
        self.conflicts.append(Conflict(path=path, what=what))


def commit(
    proved: Proved, folder: str, branch: str, *, dry_run: bool, ignored: bool = False
) -> Applied:
    """Make the commit and the branch; where there is a conflict, or with ``dry_run``, neither."""
    repository = Repository(folder)
    repository.refuse_branch(branch)
    repository.refuse_nobody()
    found = _Compared(proved, repository, ignored=ignored)
    made = ""
    if found.due and not found.conflicts and not dry_run:
        with scratch() as beside:
            commits = [(due.change.path, _put(proved, repository, due)) for due in found.due]
            made = repository.commit(commits, message(proved), f"{beside.path}/index")
        repository.make_branch(branch, made)
    changes = [AppliedChange(path=due.change.path, change=due.change.change) for due in found.due]
    return Applied(
        run_id=proved.run.run_id,
        verdict=proved.summary.status,
        head=proved.summary.head,
        folder=folder,
        dry_run=dry_run,
        branch=branch,
        commit=made,
        changes=tuple(changes),
        unchanged=tuple(found.unchanged),
        left_out=tuple(found.left_out),
        conflicts=tuple(found.conflicts),
    )


def message(proved: Proved) -> str:
    """Return the message of the commit: run, head and verdicts, once to read and once to parse."""
    summary = proved.summary
    goal = " ".join(summary.goal.split())
    task = " ".join(proved.history.genesis.variables.get("task", "").split())
    return "\n".join(
        (
            f"Take over run {summary.run_id} of {summary.pipeline}",
            "",
            *((f"Goal: {goal}", "") if goal else ()),
            *((f"Task: {task}", "") if task else ()),
            f"The run's verdict is {summary.status}. Its stages:",
            "",
            *(f"- {line}" for line in proved.verdicts()),
            "",
            f"Custody-Run: {summary.run_id}",
            head_line(summary.head),
            f"Custody-Verdict: {summary.status}",
            "",
        )
    )


def head_line(head: str) -> str:
    """Return the line by which a commit is found again that holds what a journal led to."""
    return f"Custody-Head: {head}"


def content(proved: Proved, entry: Entry) -> bytes:
    """Return what git holds of an entry; raises `BlobDamaged`."""
    if entry.kind == "symlink":
        return entry.target.encode(errors="surrogateescape")
    return proved.run.blobs.get(entry.sha256)


def _put(proved: Proved, repository: Repository, due: _Due) -> Held | None:
    if due.after is None:
        return None
    filtered = due.filtered and due.after.kind == "file"
    data = content(proved, due.after)
    name = repository.blob(due.change.path, data, filtered=filtered, keep=True)
    return Held(f"{_mode(due.after):o}", name)


def _empty_folders(entries: Mapping[str, Entry]) -> set[str]:
    """Return the folders that hold nothing, which git cannot hold."""
    filled = {path.rpartition("/")[0] for path in entries}
    return {path for path, entry in entries.items() if entry.kind == "dir"} - filled


def _as_file(entry: Entry | None) -> Entry | None:
    """Return what git can hold of an entry."""
    return entry if entry is not None and entry.kind in {"file", "symlink"} else None


def _mode(entry: Entry | None) -> int:
    if entry is None:
        return 0
    if entry.kind == "symlink":
        return SYMLINK
    return EXECUTABLE if entry.mode & 0o100 else REGULAR


def _sha(entry: Entry | None) -> str:
    return "" if entry is None else entry.sha256


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]

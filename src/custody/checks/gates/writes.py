"""Whether what a stage changed is what it was allowed to change.

Refused are, in this order for each change:

    not_regular   something that is no file, directory or symlink; where the look at it says
                  more, that code instead: ``hardlink`` ``unreadable`` ``too_large`` ``xdev``
                  ``surrogate`` ``changed_during_read``
    symlink       a new or changed link whose target may lie outside the workspace
    denied        a path that nobody should write, such as ``.git/hooks/x`` or ``.mcp.json``, or a
                  link that leads to one; ``secret_file`` where it is a place for secrets. What is
                  refused in a text is refused whoever left it, made, changed or removed; not in
                  journals before version 1.2
    not_allowed   a path that the allowlist does not cover

Before these comes, where parts of the workspace were hidden from the stage:

    holdout       a path that was hidden, or a directory above one that is taken away

The verdict names the path; the failure reason, which goes into prompts, does not.

and, where a stage's programs changed files and its answer asked for edits as well:

    edited_twice  a path that both of them changed, or one below the other's

Without an allowlist the others still hold. Making and removing a directory on the way to an
allowed path is no change of its own: what is in the directory is judged by itself.

A stage that is asked for a document may change nothing else; what is taken out of the document is
no change of the stage's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from posixpath import normpath
from typing import ClassVar, Self

from custody.checks.gates import Case, Gate
from custody.model import layout
from custody.model.allowlist import Allowlist
from custody.model.change import Change
from custody.model.graph import Node
from custody.model.holdouts import Holdouts
from custody.model.ingest import IngestManifest
from custody.model.record import decode
from custody.model.relpath import forbidden
from custody.model.request import AgentRequest
from custody.model.verdict import GateEffect, Verdict

SHOWN = 20
"""How many paths a failure reason names."""

PACKAGES = frozenset({"node_modules", "site-packages"})
"""Folders that installers fill."""


# BEHAVIOR_ID: B005
class WritesGate(Gate):
    """Judges everything that an attempt changed."""

    name = "writes"
    doc = "What the stage changed is what it was allowed to change, and nothing hidden from it."
    effect: ClassVar[GateEffect] = "refuse"

    def __init__(self, allowlist: Allowlist | None) -> None:
        self._allowlist = allowlist

    @classmethod
    def of(cls, node: Node) -> Self:
        """Take ``allowed_write_paths`` from the node; without it every path is allowed."""
        return cls(_allowlist(node.text("allowed_write_paths")))

    def applies(self, case: Case) -> bool:  # noqa: ARG002
        """Judge always: what failed may have written too."""
        return True

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find changes that were not allowed, those that the ack itself refuses left out."""
        known = {(verdict.code, verdict.subject) for verdict in case.ack.verdicts}
        for verdict in self._found(case):
            if (verdict.code, verdict.subject) not in known:
                known.add((verdict.code, verdict.subject))
                yield verdict

    def reason(self, verdicts: Sequence[Verdict]) -> str:
        """Name the paths, those of holdouts left out."""
        return violation_reason(verdicts)

    def _found(self, case: Case) -> Iterator[Verdict]:
        diff = case.diff
        if not (diff.changes or diff.by_programs or diff.by_answer):
            return
        yield from judge_twice(diff.by_programs or (), diff.by_answer or ())
        hidden = judge_holdouts(diff.changes, Holdouts.of(diff.hidden)) if diff.hidden else ()
        yield from hidden
        refused = (*case.ack.verdicts, *hidden)
        policy = case.version.effects_judged
        if isinstance(case.request, AgentRequest) and case.request.output_path:
            taken = Allowlist.parse(_taken_out(case))
            yield from judge_changes(diff.changes, taken, refused, policy=policy)
        yield from judge_changes(diff.changes, self._allowlist, refused, policy=policy)


def _taken_out(case: Case) -> tuple[str, ...]:
    """Return the paths that now hold what was taken out of the stage's document."""
    if case.evidence(layout.INGEST_MANIFEST) is None:
        return ()
    manifest = decode(
        case.text(layout.INGEST_MANIFEST).encode(), IngestManifest, where=layout.INGEST_MANIFEST
    )
    after = {change.path: change.after for change in case.diff.changes}
    return tuple(
        path
        for artifact in manifest.artifacts
        if artifact.status == "written"
        and (entry := after.get(path := artifact.workspace_path.partition("/")[2])) is not None
        and entry.sha256 == artifact.sha256
    )


@lru_cache(maxsize=4096)
def _allowlist(text: str) -> Allowlist | None:
    return Allowlist.of(text)


def judge_changes(
    changes: Iterable[Change],
    allowlist: Allowlist | None,
    refused: Iterable[Verdict] = (),
    *,
    policy: bool = True,
) -> tuple[Verdict, ...]:
    """Return a refusal for each change that is not allowed; None allows every path.

    Holdouts among what is ``refused`` already are not judged again. Without the ``policy`` a
    program may leave what no text may write.
    """
    withheld = {verdict.subject for verdict in refused if verdict.code == "holdout"}
    judged = (change for change in changes if change.path not in withheld)
    verdicts = (
        _judge_kind(change) or (policy and _judge_policy(change)) or _judge_place(change, allowlist)
        for change in judged
    )
    return tuple(verdict for verdict in verdicts if verdict is not None)


def judge_holdouts(changes: Iterable[Change], hidden: Holdouts) -> tuple[Verdict, ...]:
    """Return a refusal for each change of what the stage was not to see."""
    if not hidden.paths:
        return ()
    return tuple(
        _refusal("holdout", change, "is, or holds, what was hidden from the stage")
        for change in changes
        if hidden.covers(change.path)
        or (_takes_folder_away(change) and hidden.lie_below(change.path))
    )


def judge_twice(done: Iterable[Change], edits: Iterable[Change]) -> tuple[Verdict, ...]:
    """Return a refusal for each edit of what programs have changed already."""
    by_path = {change.path: change for change in done}
    ends = {path for path, change in by_path.items() if not _is_folder_after(change)}
    return tuple(
        _refusal("edited_twice", edit, "was changed by a program and by the answer")
        for edit in edits
        if (edit.path in by_path and by_path[edit.path].after != edit.after)
        or any(above in ends for above in _above(edit.path))
        or (not _is_folder_after(edit) and any(p.startswith(f"{edit.path}/") for p in by_path))
    )


def violation_reason(verdicts: Sequence[Verdict]) -> str:
    """Return the failure reason for a stage that wrote what these verdicts refuse."""
    told = [verdict for verdict in verdicts if verdict.code != "holdout"]
    if not told:
        return "guardrail_violation: wrote to a path hidden from this stage"
    paths = ",".join(_on_one_line(verdict.subject) for verdict in told[:SHOWN])
    more = f" and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
    return f"guardrail_violation: wrote disallowed files: {paths}{more}"


def leaves_workspace(path: str, target: str) -> bool:
    """Whether a symlink at ``path`` to ``target`` may lead out of the workspace.

    ``..`` after a name counts as leaving, because the name may itself be a symlink.
    """
    parts = [part for part in target.split("/") if part not in {"", "."}]
    names = [part for part in parts if part != ".."]
    climbs = len(parts) - len(names)
    return target.startswith("/") or ".." in parts[climbs:] or climbs > path.count("/")


def _judge_kind(change: Change) -> Verdict | None:
    if (after := change.after) is not None:
        if after.kind == "other":
            code = after.reason or "not_regular"
            return _refusal(code, change, "is no file, directory or symlink that can be kept")
        if after.kind == "symlink" and leaves_workspace(change.path, after.target):
            return _refusal("symlink", change, f"links to {after.target!r}, outside the workspace")
    return None


def _judge_policy(change: Change) -> Verdict | None:
    """Judge where a change stands, and where a link that it leaves leads."""
    if found := forbidden(_beside_packages(change.path)):
        return _refusal(found.code, change, f"may not be written: {found.reason}")
    after = change.after
    if after is not None and after.kind == "symlink":
        end = normpath(f"{change.path}/../{after.target}")
        if found := forbidden(_beside_packages(end)):
            return _refusal(found.code, change, f"links to {after.target!r}: {found.reason}")
    return None


def _beside_packages(path: str) -> str:
    """Return a path without what lies in an installed package.

    Packages bring such files along, and nobody opens an editor, a shell or git in there.
    """
    parts = path.split("/")
    inside = next((at for at, part in enumerate(parts) if part in PACKAGES), len(parts))
    return "/".join(parts[:inside])


def _judge_place(change: Change, allowlist: Allowlist | None) -> Verdict | None:
    if allowlist is None or allowlist.covers(change.path) or _on_the_way(change, allowlist):
        return None
    return _refusal("not_allowed", change, "is not covered by allowed_write_paths")


def _on_the_way(change: Change, allowlist: Allowlist) -> bool:
    made_or_removed = change.before if change.after is None else change.after
    return (
        change.change in {"added", "deleted"}
        and made_or_removed is not None
        and made_or_removed.kind == "dir"
        and allowlist.leads_to(change.path)
    )


def _takes_folder_away(change: Change) -> bool:
    before, after = change.before, change.after
    return before is not None and before.kind == "dir" and (after is None or after.kind != "dir")


def _is_folder_after(change: Change) -> bool:
    return change.after is not None and change.after.kind == "dir"


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _refusal(code: str, change: Change, reason: str) -> Verdict:
    return Verdict(
        check="writes",
        allowed=False,
        code=code,
        reason=f"{_on_one_line(change.path)} ({change.change}) {reason}",
        subject=change.path,
    )


def _on_one_line(path: str) -> str:
    return path if path.isprintable() else repr(path)[1:-1]

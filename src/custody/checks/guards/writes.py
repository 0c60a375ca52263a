"""Whether what a stage changed is what it was allowed to change.

Refused are, in this order for each change:

    not_regular   something that is no file, directory or symlink; where the look at it says
                  more, that code instead: ``hardlink`` ``unreadable`` ``too_large`` ``xdev``
                  ``surrogate`` ``changed_during_read``
    symlink       a new or changed link whose target may lie outside the workspace
    not_allowed   a path that the allowlist does not cover

Without an allowlist the first two still hold. Making and removing a directory on the way to an
allowed path is no change of its own: what is in the directory is judged by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from custody.model.allowlist import Allowlist
from custody.model.change import Change
from custody.model.verdict import Verdict

SHOWN = 20
"""How many paths a failure reason names."""


def parse_allowlist(entries: Iterable[str]) -> Allowlist:
    """Read the entries of ``allowed_write_paths``; raises `PathRefused` for a wrong one."""
    return Allowlist.parse(entries)


def judge_changes(changes: Iterable[Change], allowlist: Allowlist | None) -> tuple[Verdict, ...]:
    """Return a refusal for each change that is not allowed; None allows every path."""
    verdicts = (_judge(change, allowlist) for change in changes)
    return tuple(verdict for verdict in verdicts if verdict is not None)


def violation_reason(verdicts: Sequence[Verdict]) -> str:
    """Return the failure reason for a stage that wrote what these verdicts refuse."""
    paths = ",".join(_on_one_line(verdict.subject) for verdict in verdicts[:SHOWN])
    more = f" and {len(verdicts) - SHOWN} more" if len(verdicts) > SHOWN else ""
    return f"guardrail_violation: wrote disallowed files: {paths}{more}"


def leaves_workspace(path: str, target: str) -> bool:
    """Whether a symlink at ``path`` to ``target`` may lead out of the workspace.

    ``..`` after a name counts as leaving, because the name may itself be a symlink.
    """
    parts = [part for part in target.split("/") if part not in {"", "."}]
    names = [part for part in parts if part != ".."]
    climbs = len(parts) - len(names)
    return target.startswith("/") or ".." in parts[climbs:] or climbs > path.count("/")


def _judge(change: Change, allowlist: Allowlist | None) -> Verdict | None:
    if (after := change.after) is not None:
        if after.kind == "other":
            code = after.reason or "not_regular"
            return _refusal(code, change, "is no file, directory or symlink that can be kept")
        if after.kind == "symlink" and leaves_workspace(change.path, after.target):
            return _refusal("symlink", change, f"links to {after.target!r}, outside the workspace")
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

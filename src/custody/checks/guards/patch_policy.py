"""Whether a patch, by its text alone, stays inside the plan that was signed and the policy.

The patch is read by the one reader of patches, which refuses whatever git would guess at; what it
refuses never passes. The headers of such a patch are looked through all the same
(`custody.checks.guards.patch_headers`), so that its maker learns what is wrong with it. The reason
begins with the class of the refusal:

    PATCH_PARSE_INVALID   empty  not_diff  corrupt  duplicate  prefix
    PATCH_PATH_INVALID    traversal  absolute  backslash  control  bidi  reserved  unicode … (as of
                          `custody.model.relpath`)  case_collision
    PATCH_POLICY_DENY     scope  root  copy_source  denied  secret_file  holdout  symlink  gitlink
                          mode  binary  delete  rename  type_conflict  max_files  max_added_lines

Both names of a rename or a copy must be allowed. What is denied is denied in any letters; what is
allowed must be spelled as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Final

from custody.checks.guards.claims import Claims
from custody.checks.guards.patch_headers import HeaderLine, headers
from custody.errors import MalformedDocument, PathRefused
from custody.model.contracts.patch_policy import PatchPolicy
from custody.model.record import decode
from custody.model.relpath import RelPath, caseless, forbidden
from custody.model.verdict import Verdict
from custody.patch import EXECUTABLE, SYMLINK, FileChange, names
from custody.patch.git_header import GIT
from custody.patch.read import read_patch
from custody.patterns import later
from custody.pipeline.contracts.plan import Plan

NAME: Final = "patch_check"
PARSE, PATH, DENY = "PATCH_PARSE_INVALID", "PATCH_PATH_INVALID", "PATCH_POLICY_DENY"
TOLD = 20
"""How many verdicts are told."""
SHOWN = 500
"""Characters of a reason or of a name that are told."""
_KINDS = {"duplicate": PARSE, "prefix": PARSE, "control": PATH}
"""Classes of what a header says by itself; whatever is not here is denied by the policy."""
_BINARY = later(rb"\nGIT binary patch\n|\nBinary files [^\n]* differ(?:\n|\Z)")


def read_policy(data: bytes | None, where: str = "") -> PatchPolicy:
    """Return the policy, the defaults where there is no document; raises `MalformedDocument`."""
    if data is None:
        return PatchPolicy()
    policy = decode(data, PatchPolicy, where=where)
    for entry in (*policy.allow_roots, *policy.deny_prefixes, *policy.holdouts):
        name = entry.rstrip("/")
        if not name or "\\" in name or not {"", ".", ".."}.isdisjoint(name.split("/")):
            raise MalformedDocument("policy", f"{entry!r} names nothing below the top", where=where)
    if not all(policy.deny_suffixes):
        raise MalformedDocument("policy", "an empty suffix denies every file", where=where)
    if policy.max_files < 1 or policy.max_added_lines < 0:
        raise MalformedDocument("policy", "a limit is below what any patch needs", where=where)
    return policy


# BEHAVIOR_ID: B016
def judge_patch(data: bytes, plan: Plan, policy: PatchPolicy) -> tuple[Verdict, ...]:
    """Return what is wrong with a patch, the first things; nothing when it may be applied."""
    return tuple(islice(_judge(data, plan, policy), TOLD))


def _judge(data: bytes, plan: Plan, policy: PatchPolicy) -> Iterator[Verdict]:
    if not data.strip():
        yield _refusal("empty", PARSE, "the patch is empty")
    elif not data.startswith(GIT):
        yield _refusal("not_diff", PARSE, "the patch does not begin with 'diff --git'")
    elif not policy.allow_binary and _BINARY.search(data):
        yield _refusal("binary", DENY, "the patch holds binary data")
    else:
        rules = _Rules(plan, policy)
        try:
            changes = read_patch(data)
        except MalformedDocument as malformed:
            yield from chain.from_iterable(map(rules.judge_header, headers(data)))
            yield _refusal("corrupt", PARSE, malformed.what)
        else:
            yield from chain.from_iterable(map(rules.judge_change, changes))
            yield from _judge_names(changes)
            yield from rules.judge_size(changes)


class _Rules:
    """What a plan and a policy say about paths and changes."""

    def __init__(self, plan: Plan, policy: PatchPolicy) -> None:
        self._allow = plan.scope_allow
        self._deny = plan.scope_deny
        self._policy = policy

    def judge_change(self, change: FileChange) -> Iterator[Verdict]:
        """Judge what is done to one file."""
        shown = names.shown(change.new_path or change.old_path or b"")
        yield from self._judge_kind(change, shown)
        for path in change.paths:
            source = change.kind == "copy" and path == change.old_path
            yield from self.judge_path(path, source=source)

    def judge_header(self, header: HeaderLine) -> Iterator[Verdict]:
        """Judge what a line says that anybody could take for one of a header."""
        if header.code:
            yield _refusal(header.code, _KINDS.get(header.code, DENY), header.reason, header.shown)
        elif header.path:
            yield from self.judge_path(header.path, source=header.source)

    def judge_size(self, changes: tuple[FileChange, ...]) -> Iterator[Verdict]:
        """Judge how much the patch does."""
        most, lines = self._policy.max_files, self._policy.max_added_lines
        if len(changes) > most:
            yield _refusal("max_files", DENY, f"it changes {len(changes)} files, more than {most}")
        added = sum(hunk.added for change in changes for hunk in change.hunks)
        if added > lines:
            yield _refusal("max_added_lines", DENY, f"it adds {added} lines, more than {lines}")

    def judge_path(self, path: bytes, *, source: bool = False) -> Iterator[Verdict]:
        """Judge one path; ``source`` is what is copied and stays."""
        shown = names.shown(path)
        try:
            text = str(RelPath.parse(path))
        except PathRefused as refused:
            yield _refusal(refused.code, PATH, refused.what, shown)
            return
        if _under(text, self._policy.holdouts):
            yield _refusal("holdout", DENY, "it touches what is hidden from its maker", shown)
        elif found := forbidden(text):
            yield _refusal(found.code, DENY, f"{shown}: {found.reason}", shown)
        elif why := self._denied(text):
            yield _refusal("denied", DENY, f"{shown} is denied: {why}", shown)
        elif not _covered(text, self._allow) or _under(text, self._deny):
            yield self._outside(text, shown, source=source)
        elif self._policy.allow_roots and not _covered(text, self._policy.allow_roots):
            yield _refusal("root", DENY, f"{shown} is below none of allow_roots", shown)

    def _outside(self, text: str, shown: str, *, source: bool) -> Verdict:
        if f"{text}/" in self._allow and not _under(text, self._deny):
            what = f"{shown} is a folder of the plan's scope, not a file"
            return _refusal("type_conflict", DENY, what, shown)
        if source:
            what = f"{shown}, which is copied, lies outside the plan's scope"
            return _refusal("copy_source", DENY, what, shown)
        return _refusal("scope", DENY, f"{shown} lies outside the plan's scope", shown)

    def _denied(self, text: str) -> str:
        """Return which entry of the policy denies a path; empty when none does."""
        parts = {caseless(part) for part in text.split("/")}
        for entry in self._policy.deny_prefixes:
            if caseless(entry.rstrip("/")) in parts or _under(text, (entry,)):
                return f"deny_prefixes holds {entry!r}"
        ends = (
            end for end in self._policy.deny_suffixes if text.casefold().endswith(end.casefold())
        )
        return next((f"deny_suffixes holds {end!r}" for end in ends), "")

    def _judge_kind(self, change: FileChange, shown: str) -> Iterator[Verdict]:
        policy, modes = self._policy, (change.old_mode, change.new_mode)
        if SYMLINK in modes:
            yield _refusal("symlink", DENY, f"{shown} is or becomes a symlink", shown)
        changed = modes[0] != modes[1] if change.kind != "add" else modes[1] == EXECUTABLE
        if change.kind != "delete" and changed and not policy.allow_executable:
            yield _refusal("mode", DENY, f"the mode of {shown} becomes {modes[1] or 0:o}", shown)
        if change.kind == "delete" and not policy.allow_delete:
            yield _refusal("delete", DENY, f"{shown} is deleted", shown)
        if change.kind in {"rename", "copy"} and not policy.allow_rename:
            yield _refusal("rename", DENY, f"{shown} comes from another file", shown)


def _judge_names(changes: tuple[FileChange, ...]) -> Iterator[Verdict]:
    """Find new names beside which others of the patch cannot be, here or on another system."""
    claims = Claims()
    for change in sorted(changes, key=lambda each: each.kind != "modify"):
        shown = names.shown(change.new_path or b"")
        with suppress(PathRefused):  # it has its verdict already
            code = claims.claim(RelPath.parse(change.new_path)) if change.new_path else ""
            if not code or change.kind == "modify":
                continue
            if code == "case_collision":
                what = f"{shown} differs from another file of the patch by case only"
                yield _refusal(code, PATH, what, shown)
            else:
                what = f"{shown} would have to be a file and a folder"
                yield _refusal("type_conflict", DENY, what, shown)


def _covered(path: str, entries: Iterable[str]) -> bool:
    """Whether an entry is a path, or a folder above it."""
    return any(
        path.startswith(f"{entry.rstrip('/')}/") or path == entry for entry in entries if entry
    )


def _under(path: str, entries: Iterable[str]) -> bool:
    """Whether an entry is a path or lies above it, in whatever letters."""
    folded = caseless(path)
    return any(
        folded == (name := caseless(entry.rstrip("/"))) or folded.startswith(f"{name}/")
        for entry in entries
    )


def _refusal(code: str, kind: str, reason: str, subject: str = "") -> Verdict:
    return Verdict(
        check=NAME,
        allowed=False,
        code=code,
        reason=f"{kind}: {_cut(reason)}",
        subject=_cut(subject),
    )


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"

"""How an agent that only answers with text changes the workspace.

Its answer holds whole files in fences that name them, or is one patch:

    ```python file=src/a.py        diff --git a/src/a.py b/src/a.py
    print("hello")                 ...
    ```

Where a document is asked for, the answer is that and nothing of it is carried out.

A patch may do whatever git can tell: change, add, delete, rename and copy files, symlinks and what
is no text, and set the right to execute (`custody.patch`). It is taken as a whole or not
at all.

Every path goes through the same door as everybody's, those that a patch only reads as well. One
that may not be written refuses the whole answer, and nothing is written.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from custody.checks.guards.paths import admit_write
from custody.errors import MalformedDocument, PathRefused, Refused
from custody.model import layout
from custody.model.answer import FileEdit
from custody.model.request import Ack
from custody.model.verdict import Verdict
from custody.workspace.rights import changed_mode

if TYPE_CHECKING:
    from custody.executors import Stage
    from custody.patch import File, FileChange

PATCH_START = "diff --git "
_NEW = 0o644
"""Rights to a file that was not there; others keep theirs."""

_NOT_MEANT = frozenset({"tilde", "indented", "list_item", "quoted_block"})
"""Where a fence is text about files, and no file."""
_DIFF = re.compile(r"^```(?:diff|patch)[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


class Budget(NamedTuple):
    """How much one answer may write; the names are those of the settings."""

    max_files: int
    max_total_bytes: int

    def refusal(self, edits: tuple[FileEdit, ...]) -> Verdict | None:
        """Return why edits are too many or too large; None when they are not."""
        size = sum(_size(edit) for edit in edits)
        found = {"max_files": len(edits), "max_total_bytes": size}
        for code, allowed in self._asdict().items():
            if found[code] > allowed:
                reason = f"{code} exceeded: {found[code]} of {allowed}"
                return Verdict(check="budget", allowed=False, code=code, reason=reason)
        return None


def apply_response(ack: Ack, text: str, stage: Stage, budget: Budget | None = None) -> Ack:
    """Carry out the edits that an answer holds; return what came of it."""
    try:
        plan = _plan(text, stage)
    except MalformedDocument as error:
        return msgspec.structs.replace(ack, status="failed", failure_reason=str(error))
    if budget is not None and (excess := budget.refusal(plan.edits)) is not None:
        return msgspec.structs.replace(
            ack, status="refused", failure_reason=excess.reason, verdicts=(excess,)
        )
    if plan.refusals:
        reason = f"path refused: {', '.join(verdict.subject for verdict in plan.refusals)}"
        return msgspec.structs.replace(
            ack, status="refused", failure_reason=reason, verdicts=plan.refusals
        )
    _carry_out(plan, stage)
    return ack


def fenced_files(text: str) -> tuple[FileEdit, ...]:
    """Return the files that fences name; raises `MalformedDocument` for one that is malformed."""
    from custody.ingest.fence_reasons import REASONS
    from custody.ingest.fences import parse_fences

    data = text.encode("utf-8", "surrogatepass")
    edits: list[FileEdit] = []
    for fence in parse_fences(data):
        if fence.path and fence.reason and fence.reason not in _NOT_MEANT:
            what = f"the fence of {fence.path!r} in line {fence.line}: {REASONS[fence.reason]}"
            raise MalformedDocument("fence", what)
        if not fence.reason:
            content = data[fence.begin : fence.end].decode("utf-8", "surrogatepass")
            edits.append(FileEdit(path=fence.path, content=content))
    if len({edit.path for edit in edits}) != len(edits):
        raise MalformedDocument("fence", "a file is written twice")
    return tuple(edits)


def refusal(edit: FileEdit, stage: Stage, *, gone: Collection[str] = ()) -> Verdict | None:
    """Return why an edit may not be made, after others have ``gone``; None when it may."""
    subject = edit.path.encode(errors="backslashreplace").decode()
    try:
        admit_write(edit.path, stage.workspace.root, gone=gone)
        edit.encoded()
    except PathRefused as refused:
        return Verdict(
            check="path", allowed=False, code=refused.code, reason=refused.what, subject=subject
        )
    except UnicodeEncodeError:
        reason = "half a surrogate pair in the content cannot be written"
        return Verdict(check="path", allowed=False, code="encoding", reason=reason, subject=subject)
    return None


def apply_edit(edit: FileEdit, stage: Stage) -> None:
    """Write or remove one file that was admitted."""
    stage.sandbox.edited = True
    root = stage.workspace.root
    path = admit_write(edit.path, root)  # edits before it count as well
    if edit.deletes:
        root.remove(path)
    elif edit.symlink:
        root.write_link(path, edit.symlink)
    else:
        there = root.stat(path).st_mode if root.exists(path) else _NEW
        mode = changed_mode(there, executable=edit.executable)
        root.write(path, edit.encoded(), mode=mode)


class _Plan(NamedTuple):
    """What an answer asks for."""

    edits: tuple[FileEdit, ...]
    refusals: tuple[Verdict, ...]
    by_patch: bool = False


def _carry_out(plan: _Plan, stage: Stage) -> None:
    """Make admitted edits; what goes makes room for what comes."""
    for edit in sorted(plan.edits, key=lambda edit: not edit.deletes):
        if plan.by_patch and not edit.deletes:
            _make_room(edit.path, stage)
        apply_edit(edit, stage)


def _make_room(path: str, stage: Stage) -> None:
    """Remove a symlink, or folders that a patch has emptied, where it puts a file."""
    root = stage.workspace.root
    if root.exists(path) and not stat.S_ISREG(root.stat(path).st_mode):
        root.remove_tree(path)


def _plan(text: str, stage: Stage) -> _Plan:
    fenced = fenced_files(text)
    patches = [text] if text.startswith(PATCH_START) else _DIFF.findall(text)
    patches = [patch for patch in patches if patch.startswith(PATCH_START)]
    if len(patches) + bool(fenced) > 1:
        raise MalformedDocument("edits", "an answer holds fenced files or one patch, not both")
    return _patched(patches[0], stage) if patches else _Plan(fenced, _refusals(fenced, stage))


def _patched(text: str, stage: Stage) -> _Plan:
    """Return what a patch does as whole files; where its paths are refused, nothing is read."""
    from custody.patch.apply import apply_patch
    from custody.patch.read import read_patch
    from custody.patch.root_tree import RootTree

    changes = read_patch(_encoded(text), where=layout.RESPONSE)
    paths = dict.fromkeys(os.fsdecode(path) for change in changes for path in change.paths)
    gone = {os.fsdecode(change.removes) for change in changes if change.removes is not None}
    touched = tuple(FileEdit(path=path) for path in paths)
    if refusals := _refusals(touched, stage, gone):
        return _Plan(touched, refusals)
    _refuse_hidden(changes, stage)
    after = apply_patch(changes, RootTree(stage.workspace.root), where=layout.RESPONSE)
    edits = tuple(_edit_of(os.fsdecode(path), file) for path, file in after.items())
    return _Plan(edits, (), by_patch=True)


def _refusals(
    edits: tuple[FileEdit, ...], stage: Stage, gone: Collection[str] = ()
) -> tuple[Verdict, ...]:
    verdicts = (refusal(edit, stage, gone=gone) for edit in edits)
    return tuple(verdict for verdict in verdicts if verdict is not None)


def _encoded(text: str) -> bytes:
    """Return a patch as bytes; the newline at the end of an answer is easily lost."""
    try:
        return (text if text.endswith("\n") else f"{text}\n").encode()
    except UnicodeEncodeError:
        what = "half a surrogate pair cannot be written"
        raise MalformedDocument("patch", what, where=layout.RESPONSE) from None


def _refuse_hidden(changes: tuple[FileChange, ...], stage: Stage) -> None:
    """Refuse to read what was hidden from the stage; the reason, a prompt's by then, is brief."""
    layers = stage.sandbox.layers
    read = (os.fsdecode(change.old_path) for change in changes if change.old_path is not None)
    if layers is not None and any(map(layers.hidden.covers, read)):
        raise Refused("holdout", "the patch reads what was hidden from the stage")


def _edit_of(path: str, file: File | None) -> FileEdit:
    if file is None:
        return FileEdit(path=path)
    if stat.S_ISLNK(file.mode):
        return FileEdit(path=path, symlink=os.fsdecode(file.content))
    return FileEdit(path=path, data=file.content, executable=bool(file.mode & stat.S_IXUSR))


def _size(edit: FileEdit) -> int:
    text = edit.symlink or edit.content or ""
    return len(text.encode(errors="replace") if edit.data is None else edit.data)

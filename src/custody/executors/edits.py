"""How an agent that only answers with text changes the workspace.

Its answer holds whole files in fences that name them, or is one patch:

    ```python file=src/a.py        diff --git a/src/a.py b/src/a.py
    print("hello")                 ...
    ```

Where a document is asked for, the answer is that and nothing of it is carried out.

Every path goes through the same door as everybody's. One that may not be written refuses the
whole answer, and nothing is written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from custody.checks.guards.paths import admit_write
from custody.errors import MalformedDocument, PathRefused
from custody.model import layout
from custody.model.answer import FileEdit
from custody.model.relpath import RelPath
from custody.model.request import Ack
from custody.model.verdict import Verdict

if TYPE_CHECKING:
    from custody.executors import Stage
    from custody.executors.patch import FilePatch

_NOT_MEANT = frozenset({"tilde", "indented", "list_item", "quoted_block"})
"""Where a fence is text about files, and no file."""
_DIFF = re.compile(r"^```(?:diff|patch)[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


class Budget(NamedTuple):
    """How much one answer may write; the names are those of the settings."""

    max_files: int
    max_total_bytes: int

    def refusal(self, edits: tuple[FileEdit, ...]) -> Verdict | None:
        """Return why edits are too many or too large; None when they are not."""
        size = sum(len((edit.content or "").encode(errors="replace")) for edit in edits)
        found = {"max_files": len(edits), "max_total_bytes": size}
        for code, allowed in self._asdict().items():
            if found[code] > allowed:
                reason = f"{code} exceeded: {found[code]} of {allowed}"
                return Verdict(check="budget", allowed=False, code=code, reason=reason)
        return None


def apply_response(ack: Ack, text: str, stage: Stage, budget: Budget | None = None) -> Ack:
    """Carry out the edits that an answer holds; return what came of it."""
    try:
        edits = _edits(text, stage)
    except MalformedDocument as error:
        return msgspec.structs.replace(ack, status="failed", failure_reason=str(error))
    if budget is not None and (excess := budget.refusal(edits)) is not None:
        return msgspec.structs.replace(
            ack, status="refused", failure_reason=excess.reason, verdicts=(excess,)
        )
    refusals = tuple(verdict for edit in edits if (verdict := refusal(edit, stage)) is not None)
    if refusals:
        reason = f"path refused: {', '.join(verdict.subject for verdict in refusals)}"
        return msgspec.structs.replace(
            ack, status="refused", failure_reason=reason, verdicts=refusals
        )
    for edit in edits:
        apply_edit(edit, stage)
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


def refusal(edit: FileEdit, stage: Stage) -> Verdict | None:
    """Return why an edit may not be made; None when it may."""
    subject = edit.path.encode(errors="backslashreplace").decode()
    try:
        admit_write(edit.path, stage.workspace.root)
        (edit.content or "").encode()
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
    path = admit_write(edit.path, stage.workspace.root)  # edits before it count as well
    if edit.content is None:
        stage.workspace.root.remove(path)
    else:
        mode = 0o755 if edit.executable else 0o644
        stage.workspace.root.write(path, edit.content.encode(), mode=mode)


def _edits(text: str, stage: Stage) -> tuple[FileEdit, ...]:
    fenced = fenced_files(text)
    patches = [text] if text.startswith("diff --git ") else _DIFF.findall(text)
    patches = [patch for patch in patches if patch.startswith("diff --git ")]
    if len(patches) + bool(fenced) > 1:
        raise MalformedDocument("edits", "an answer holds fenced files or one patch, not both")
    if not patches:
        return fenced
    from custody.executors.patch import read_patch

    return tuple(_patched(file, stage) for file in read_patch(patches[0]))


def _patched(file: FilePatch, stage: Stage) -> FileEdit:
    """Return a patch of one file as the whole file that it makes."""
    if refusal(FileEdit(path=file.path), stage) is not None:
        return FileEdit(path=file.path)  # refused by its path, whatever it would hold
    path = RelPath.parse(file.path)
    there = stage.workspace.root.exists(path)
    if there == file.creates:
        state = "is there already" if there else "is not there"
        raise MalformedDocument("patch", f"{file.path} {state}", where=layout.RESPONSE)
    if file.creates:
        return FileEdit(path=file.path, content=file.apply(""))
    try:
        content = stage.workspace.root.read(path).decode()
    except UnicodeDecodeError:
        raise MalformedDocument("patch", f"{file.path} is not text") from None
    after = file.apply(content)
    executable = bool(stage.workspace.root.stat(path).st_mode & 0o100)
    return FileEdit(path=file.path, content=None if file.deletes else after, executable=executable)

"""Whether what was changed is just what a patch says: no path more, no byte else.

What the files held before is known of those that were changed. Of a file that was copied only the
place is judged, since its source is not among the changes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence

from custody.errors import MalformedDocument
from custody.model.change import Entry, WorkspaceDiff
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File, FileChange, names
from custody.patch.apply import apply_patch

Content = Callable[[str], bytes]


def judge_effect(
    changes: Sequence[FileChange], diff: WorkspaceDiff, content: Content
) -> Iterator[str]:
    """Yield how the changes of a workspace differ from a patch; nothing when they do not."""
    before = {os.fsencode(each.path): _file(each.before, content) for each in diff.changes}
    after = {
        os.fsencode(each.path): _file(each.after, content)
        for each in diff.changes
        if _is_file(each.before) or _is_file(each.after)
    }
    copies = {path for each in changes if each.kind == "copy" and (path := each.new_path)}
    others = [change for change in changes if change.kind != "copy"]
    try:
        expected = apply_patch(others, _Tree(before)) if others else {}
    except MalformedDocument as malformed:
        yield f"the patch does not fit what was there: {malformed.what}"
        return
    for path in sorted({*after, *expected, *copies}):
        if path in copies:
            if after.get(path) is None:
                yield f"{names.shown(path)} was not copied"
        elif path not in expected:
            yield f"{names.shown(path)} was changed, which the patch does not say"
        elif after.get(path, before.get(path)) != expected[path]:
            yield f"{names.shown(path)} is not what the patch makes of it"


class _Tree:
    """The files that were changed, as they were before."""

    def __init__(self, files: dict[bytes, File | None]) -> None:
        self._files = files

    def read(self, path: bytes) -> File | None:
        """Return what stood at a path."""
        return self._files.get(path)

    def below(self, path: bytes) -> Collection[bytes]:
        """Return the paths below a folder that were changed and stood there."""
        start = path + b"/"
        return [one for one, file in self._files.items() if file and one.startswith(start)]


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.kind != "dir"


def _file(entry: Entry | None, content: Content) -> File | None:
    if entry is None or entry.kind not in {"file", "symlink"}:
        return None
    if entry.kind == "symlink":
        return File(SYMLINK, os.fsencode(entry.target))
    mode = EXECUTABLE if entry.mode & stat.S_IXUSR else REGULAR
    return File(mode, content(entry.sha256))

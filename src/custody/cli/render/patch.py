"""Changes for a person: what happened to each path, and the patch under it in colours."""

from __future__ import annotations

from collections.abc import Iterator

from custody.cli.result import Line, Tone
from custody.model.change import Change
from custody.patch import names
from custody.patch.write import write_change
from custody.views.changed import ChangedFile

_TONES: dict[str, Tone] = {"+": "good", "-": "bad", "@": "faint"}
_SHOWN = 1 << 20
"""Larger contents are only said to differ: nobody reads that much."""


def heading(file: ChangedFile) -> str:
    """Return what happened to a path, on one line."""
    change = file.change
    name = names.shown(change.path.encode(errors="surrogateescape"))
    text = f"{change.change:<8} {name}{_remark(change)}"
    where = f"  {file.folder}" if file.folder else ""
    return f"{text}{where}" if file.kept else f"{text}{where}  (refused and undone)"


def patch(file: ChangedFile) -> bytes:
    """Return what happened to a path as a part of a patch; empty when git cannot tell it."""
    return write_change(file.change, file.before, file.after)


def readable(file: ChangedFile) -> str:
    """Return the same for reading: of contents that nobody reads only that they differ."""
    contents = (file.before, file.after)
    if any(content and (len(content) > _SHOWN or b"\0" in content) for content in contents):
        file = file._replace(before=None, after=None)
    return patch(file).decode(errors="backslashreplace").removesuffix("\n")


def patch_lines(file: ChangedFile) -> Iterator[Line]:
    """Yield a heading and the patch under it."""
    yield Line(heading(file), "strong")
    text = readable(file)
    in_hunk = False
    for line in text.split("\n") if text else ():
        in_hunk = line.startswith("@") or (in_hunk and not line.startswith("diff "))
        yield Line(line, _TONES.get(line[:1], "") if in_hunk else "")


def _remark(change: Change) -> str:
    entries = [entry for entry in (change.before, change.after) if entry is not None]
    kinds = [entry.kind for entry in entries]
    if set(kinds) != {"file"}:
        return f"  ({' → '.join(dict.fromkeys(kinds))})"
    modes = [f"{entry.mode:04o}" for entry in entries]
    return f"  (mode {' → '.join(modes)})" if len(set(modes)) > 1 else ""

"""Changes as text: what happened to each path, and a patch that ``git apply`` understands."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from custody.cli.result import Line, Tone
from custody.model.change import Change, Entry
from custody.views.changed import ChangedFile

_TONES: dict[str, Tone] = {"+": "good", "-": "bad", "@": "faint"}
_LINK = "120000"
_NO_NEWLINE = "\\ No newline at end of file"


def heading(file: ChangedFile) -> str:
    """Return what happened to a path, on one line."""
    change = file.change
    text = f"{change.change:<8} {change.path}{_remark(change)}"
    where = f"  {file.folder}" if file.folder else ""
    return f"{text}{where}" if file.kept else f"{text}{where}  (refused and undone)"


def patch(file: ChangedFile) -> list[str]:
    """Return the difference of one path as the lines of a patch; none where it cannot be told."""
    before, after = file.change.before, file.change.after
    if before is None or after is None or before.kind == after.kind:
        return _section(file)
    gone = file._replace(
        change=Change(path=file.change.path, change="deleted", before=before), after=None
    )
    come = file._replace(
        change=Change(path=file.change.path, change="added", after=after), before=None
    )
    return [*_section(gone), *_section(come)]


def patch_lines(file: ChangedFile) -> Iterator[Line]:
    """Return a heading and the patch under it, for a person."""
    yield Line(heading(file), "strong")
    for text in patch(file):
        headed = text.startswith(("+++ ", "--- "))
        yield Line(text, "" if headed else _TONES.get(text[:1], ""))


def _section(file: ChangedFile) -> list[str]:
    before, after = file.change.before, file.change.after
    if not all(entry is None or entry.kind in {"file", "symlink"} for entry in (before, after)):
        return []
    body = _body(file)
    modes = _modes(before, after)
    if not body and not modes:
        return []
    names = " ".join(_quoted(f"{side}/{file.change.path}") for side in "ab")
    return [f"diff --git {names}", *modes, *body]


def _modes(before: Entry | None, after: Entry | None) -> list[str]:
    old, new = _git_mode(before), _git_mode(after)
    if not old:
        return [f"new file mode {new}"]
    if not new:
        return [f"deleted file mode {old}"]
    return [f"old mode {old}", f"new mode {new}"] if old != new else []


def _body(file: ChangedFile) -> list[str]:
    change = file.change
    if _digest(change.before) == _digest(change.after):
        return []
    old = "/dev/null" if change.before is None else _quoted(f"a/{change.path}")
    new = "/dev/null" if change.after is None else _quoted(f"b/{change.path}")
    texts = _text(change.before, file.before), _text(change.after, file.after)
    if texts[0] is None or texts[1] is None:
        return [f"Binary files {old} and {new} differ"]
    return _unified(texts[0], texts[1], old, new)


def _unified(before: str, after: str, old: str, new: str) -> list[str]:
    found: list[str] = []
    for line in unified_diff(_lines(before), _lines(after), old, new, lineterm=""):
        if line.endswith("\n") or len(found) < 2 or line.startswith("@@"):  # noqa: PLR2004
            found.append(line.removesuffix("\n"))
        else:
            found += [line, _NO_NEWLINE]
    return found


def _lines(text: str) -> list[str]:
    """Split at newlines only, and keep them: a patch knows no other line ends."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _text(entry: Entry | None, content: bytes | None) -> str | None:
    """Return a content as text; None when it is none, or too large."""
    if entry is None:
        return ""
    if content is None or b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _digest(entry: Entry | None) -> str:
    return "" if entry is None else entry.sha256


def _git_mode(entry: Entry | None) -> str:
    if entry is None:
        return ""
    if entry.kind == "symlink":
        return _LINK
    return "100755" if entry.mode & 0o100 else "100644"


def _quoted(path: str) -> str:
    """Return a path as git writes it: odd ones in quotes."""
    if path.isprintable() and '"' not in path and "\\" not in path:
        return path
    data = path.encode(errors="surrogateescape")
    return '"' + "".join(_escaped(byte) for byte in data) + '"'


def _escaped(byte: int) -> str:
    character = chr(byte)
    if character in '"\\':
        return f"\\{character}"
    return character if 0x20 <= byte < 0x7F else f"\\{byte:03o}"  # noqa: PLR2004 - ASCII


def _remark(change: Change) -> str:
    entries = [entry for entry in (change.before, change.after) if entry is not None]
    kinds = [entry.kind for entry in entries]
    if set(kinds) != {"file"}:
        return f"  ({' → '.join(dict.fromkeys(kinds))})"
    modes = [f"{entry.mode:04o}" for entry in entries]
    return f"  (mode {' → '.join(modes)})" if len(set(modes)) > 1 else ""

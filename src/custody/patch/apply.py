"""What a patch makes of the files that are there: strictly, or not at all.

A hunk must stand exactly where it says, with every line as it says: there is no fuzz and no offset.
Renames and copies read what was there before the patch, whatever else it does. Nothing is written
here; the caller gets every file as it has to be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Protocol

from custody.errors import MalformedDocument
from custody.patch import REGULAR, SYMLINK, File, FileChange, Hunk, names
from custody.patch.binary import object_id, result_of
from custody.patch.lines import split_lines

_TARGET = 4095
"""Most bytes of a symlink's target."""


class FileTree(Protocol):
    """The files that are there."""

    def read(self, path: bytes) -> File | None:
        """Return what stands at a path; None where no file and no symlink is."""
        ...

    def below(self, path: bytes) -> Collection[bytes]:
        """Return every path below a folder but those of folders; none where no folder is."""
        ...


def apply_patch(
    changes: Sequence[FileChange], tree: FileTree, *, where: str = ""
) -> dict[bytes, File | None]:
    """Return every file that a patch touches as it is afterwards; None for one that is gone.

    Raises `MalformedDocument` when a part of it does not fit what is there.
    """
    removed = {change.removes for change in changes}
    after: dict[bytes, File | None] = {}
    try:
        for change in changes:
            result = _result(change, tree, removed)
            if change.removes is not None:
                after.setdefault(change.removes, None)
            if change.new_path is not None:
                after[change.new_path] = result
        _refuse_blocked(after, tree)
    except MalformedDocument as error:
        raise MalformedDocument(error.code, error.what, where=where) from None
    return after


def apply_hunks(content: bytes, hunks: Iterable[Hunk]) -> bytes:
    """Return a text after its hunks; raises `MalformedDocument` where it is another text."""
    lines = split_lines(content)
    done: list[bytes] = []
    at = 0
    for hunk in hunks:
        before = hunk.before
        end = hunk.start + len(before)
        if lines[hunk.start : end] != before or (hunk.closes and end != len(lines)):
            raise _wrong(f"does not hold what the hunk in line {hunk.number} of the patch expects")
        done += lines[at : hunk.start]
        done += hunk.after
        at = end
    return b"".join(done + lines[at:])


def _result(change: FileChange, tree: FileTree, removed: Collection[bytes | None]) -> File | None:
    try:
        _refuse_taken(change, tree, removed)
        base = _base(change, tree)
        content = _content(change, base)
    except MalformedDocument as error:
        path = change.old_path or change.new_path or b""
        raise _wrong(f"{names.shown(path)} {error.what}") from None
    if change.kind == "delete":
        if content:
            raise _wrong(f"{names.shown(change.old_path or b'')} is deleted, but not all of it")
        return None
    mode = base.mode if change.old_mode == change.new_mode else change.new_mode or base.mode
    if mode == SYMLINK and not (0 < len(content) <= _TARGET and b"\0" not in content):
        raise _wrong(f"{names.shown(change.new_path or b'')} cannot be a symlink to that")
    return File(mode, content)


def _refuse_taken(change: FileChange, tree: FileTree, removed: Collection[bytes | None]) -> None:
    """Refuse to make a file where one is and stays."""
    path = change.new_path
    if path is None or change.kind in {"modify", "delete"}:
        return
    if not any(place in removed for place in (path, *_above(path))) and tree.read(path) is not None:
        raise _wrong(f"cannot become {names.shown(path)}, which is there already")


def _base(change: FileChange, tree: FileTree) -> File:
    """Return what a change starts from."""
    if change.old_path is None:
        return File(change.new_mode or REGULAR, b"")
    there = tree.read(change.old_path)
    if there is None:
        raise _wrong("is not there")
    is_link = there.mode == SYMLINK
    if change.old_mode is not None and is_link != (change.old_mode == SYMLINK):
        raise _wrong(f"is {'a' if is_link else 'no'} symlink")
    if change.old_mode is None and is_link and (change.hunks or change.binary):
        raise _wrong("is a symlink, which the patch does not say")
    return there


def _content(change: FileChange, base: File) -> bytes:
    binary = change.binary
    if binary is None:
        return apply_hunks(base.content, change.hunks)
    if change.kind != "add" and object_id(base.content) != binary.old_id:
        raise _wrong("does not hold what the binary patch expects")
    content = result_of(binary, base.content)
    if change.kind != "delete" and object_id(content) != binary.new_id:
        raise _wrong("would not become what the binary patch says")
    return content


def _refuse_blocked(after: dict[bytes, File | None], tree: FileTree) -> None:
    """Refuse a file where a folder stays, and one below what is a file or a symlink."""
    gone = {path for path, file in after.items() if file is None}
    for path, file in after.items():
        if file is None:
            continue
        above = [*_above(path)]
        freed = not gone.isdisjoint(above)  # a file or symlink went: nothing lies below it
        for place in above:
            there = after.get(place) if freed or place in after else tree.read(place)
            if there is not None:
                raise _wrong(f"{names.shown(path)} cannot lie below {names.shown(place)}")
        stays = [] if freed else [one for one in tree.below(path) if one not in gone]
        if stays:
            raise _wrong(f"{names.shown(path)} is a folder with {names.shown(min(stays))}")


def _above(path: bytes) -> Iterator[bytes]:
    while path := path.rpartition(b"/")[0]:
        yield path


def _wrong(what: str) -> MalformedDocument:
    return MalformedDocument("patch", what)

"""Finds the files of required outputs below ``reports/``.

Every step goes on from an open folder and follows no symlink, so nothing outside is looked at
whatever a tool has put there. A symlink that matches is told, and is no file. The work is bounded:
`LOOKED_LIMIT` names are looked at for one glob, and `FILES_LIMIT` files are listed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from custody.errors import PathRefused, StorageFailed
from custody.model.relpath import DEPTH
from custody.model.skill.contract import RequiredOutput
from custody.model.skill.outputs import FoundOutput, NotTaken, OutputFile, OutputGlob
from custody.store.root import Root

LOOKED_LIMIT = 100_000
FILES_LIMIT = 1_000
_ANY_FOLDERS = "**"


class _TooMany(Exception):
    """More names than are looked at."""


class _Match(NamedTuple):
    """Something whose path matches."""

    path: str
    mode: int
    size: int


def find_outputs(run: Root, required: Iterable[RequiredOutput]) -> tuple[FoundOutput, ...]:
    """Return what there is of each required output below a run directory, in the same order."""
    return tuple(find_output(run, one) for one in required)


def find_output(run: Root, required: RequiredOutput) -> FoundOutput:
    """Return what there is of one. Raises `PathRefused` for a glob that keeps not every rule."""
    search = _Search(run, OutputGlob.parse(required.path).parts)
    files: list[OutputFile] = []
    others: list[NotTaken] = []
    for path, mode, size in search.matches():
        if not _is_text(path):
            others.append(NotTaken(path=ascii(path)[1:-1], what="no UTF-8"))
        elif stat.S_ISREG(mode):
            files.append(OutputFile(path=path, size=size))
        else:
            others.append(NotTaken(path=path, what=_called(mode)))
    files.sort(key=lambda one: one.path)
    others.sort(key=lambda one: one.path)
    return FoundOutput(
        path=required.path,
        non_empty=required.non_empty,
        files=tuple(files[:FILES_LIMIT]),
        not_taken=tuple(others[:FILES_LIMIT]),
        count=len(files),
        empty=sum(1 for one in files if not one.size),
        broken_off=search.broken_off,
    )


def matches_part(pattern: str, name: str) -> bool:
    """Whether a name matches one component of a glob; never takes longer than their product."""
    if name.startswith(".") and not pattern.startswith("."):
        return False
    parts = tuple(_tokens(pattern))
    at = place = 0
    star, tried = -1, 0
    while place < len(name):
        if at < len(parts) and parts[at] == "*":
            star, tried, at = at, place, at + 1
        elif at < len(parts) and _fits(parts[at], name[place]):
            at, place = at + 1, place + 1
        elif star >= 0:
            tried += 1
            at, place = star + 1, tried
        else:
            return False
    return all(part == "*" for part in parts[at:])


def _tokens(pattern: str) -> Iterator[str]:
    """Yield the characters of a component, and each class as one."""
    place = 0
    while place < len(pattern):
        end = pattern.find("]", place) if pattern[place] == "[" else place
        yield pattern[place : end + 1]
        place = end + 1


def _fits(token: str, character: str) -> bool:
    if len(token) == 1:
        return token in {"?", character}
    inside = token[1:-1]
    ranges = {inside[n - 1 : n + 2] for n, c in enumerate(inside) if c == "-"}
    plain = set(inside) - {"-"}
    return character in plain or any(each[0] <= character <= each[2] for each in ranges)


class _Search:
    """Goes down below a run directory, one open folder after the other."""

    def __init__(self, run: Root, parts: tuple[str, ...]) -> None:
        self._run = run
        self._parts = parts
        self._left = LOOKED_LIMIT
        self.broken_off = ""

    def matches(self) -> Iterator[_Match]:
        """Yield whatever matches, once."""
        try:
            with self._run.sub(self._parts[0]) as reports:
                yield from self._below(reports, self._parts[0], self._parts[1:])
        except _TooMany:
            self.broken_off = f"more than {LOOKED_LIMIT} names"
        except PathRefused as refused:
            if refused.code != "missing":
                self.broken_off = refused.what

    def _below(self, folder: Root, path: str, parts: tuple[str, ...]) -> Iterator[_Match]:
        if path.count("/") >= DEPTH:
            self.broken_off = f"more than {DEPTH} folders inside each other"
            return
        anywhere = parts[0] == _ANY_FOLDERS
        wanted = parts[1:] if anywhere else parts
        for name, mode, size in self._entries(folder):
            where = f"{path}/{name}"
            fits = matches_part(wanted[0], name)
            if fits and len(wanted) == 1:
                yield _Match(where, mode, size)
            if not stat.S_ISDIR(mode):
                continue
            if fits and len(wanted) > 1:
                yield from self._inside(folder, name, where, wanted[1:])
            if anywhere and not name.startswith("."):
                yield from self._inside(folder, name, where, parts)

    def _inside(
        self, folder: Root, name: str, where: str, parts: tuple[str, ...]
    ) -> Iterator[_Match]:
        try:
            with folder.sub(name) as inner:
                yield from self._below(inner, where, parts)
        except (PathRefused, StorageFailed) as refused:
            self.broken_off = f"{where}: {refused.what}"

    def _entries(self, folder: Root) -> list[tuple[str, int, int]]:
        with folder.scan() as entries:
            return [self._looked(entry) for entry in entries]

    def _looked(self, entry: os.DirEntry[str]) -> tuple[str, int, int]:
        self._left -= 1
        if self._left < 0:
            raise _TooMany
        state = entry.stat(follow_symlinks=False)
        return entry.name, state.st_mode, state.st_size


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _called(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "symlink"
    return "folder" if stat.S_ISDIR(mode) else "special"

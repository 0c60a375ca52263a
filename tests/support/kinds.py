"""Everything that one name of a workspace can be, and turning one into another."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path

Turn = tuple[str, str]
"""What a name is before a stage, and what the stage makes of it."""


def _file(path: Path) -> None:
    path.write_bytes(b"a file\n")


def _empty(path: Path) -> None:
    path.touch()


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(6 << 20)
        file.write(b"begins")


def _program(path: Path) -> None:
    path.write_bytes(b"#!/bin/sh\n")
    path.chmod(0o755)


def _folder(path: Path) -> None:
    (path / "sub").mkdir(parents=True)
    (path / "sub" / "deep").write_bytes(b"deep")
    (path / "inside").write_bytes(b"inside")
    (path / "way").symlink_to("sub")


def _empty_folder(path: Path) -> None:
    path.mkdir()


def _other_folder(path: Path) -> None:
    path.mkdir(mode=0o700)
    (path / "sub").write_bytes(b"no folder here")
    (path / "inside").mkdir()
    (path / "inside" / "new").write_bytes(b"new")
    (path / "way").mkdir()
    (path / "way" / "deep").write_bytes(b"through no link")


def _link_to_folder(path: Path) -> None:
    path.symlink_to("aside")


def _link_to_file(path: Path) -> None:
    path.symlink_to("aside/inside")


def _dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def _twin(path: Path) -> None:
    path.write_bytes(b"two names")
    os.link(path, f"{path}.twin")


def _nothing(path: Path) -> None:
    """Leave the name free."""


KINDS: dict[str, Callable[[Path], None]] = {
    "nothing": _nothing,
    "file": _file,
    "empty": _empty,
    "sparse": _sparse,
    "program": _program,
    "folder": _folder,
    "empty_folder": _empty_folder,
    "other_folder": _other_folder,
    "link_to_folder": _link_to_folder,
    "link_to_file": _link_to_file,
    "dangling": _dangling,
    "twin": _twin,
}
_LARGE = "sparse"
_MEET_LARGE = {"nothing", "folder", "link_to_folder"}
"""What a large file is turned into, and made of: reading all the others would take long."""
TURNS: list[Turn] = [
    (old, new)
    for old, new in product(KINDS, KINDS)
    if old != new and (_LARGE not in (old, new) or {old, new} & _MEET_LARGE)
]


def lay_out(top: Path, turns: Iterable[Turn]) -> None:
    """Make what is there before."""
    _folder(top / "aside")
    for turn in turns:
        KINDS[turn[0]](top / _name(turn))


def turn_all(top: Path, turns: Iterable[Turn]) -> None:
    """Make of each what is to be there afterwards, as a program would."""
    for turn in turns:
        path = top / _name(turn)
        _clear(path)
        KINDS[turn[1]](path)


def renamed(top: Path, turns: Iterable[Turn]) -> None:
    """Do the same by moving what was made elsewhere over what is there."""
    for turn in turns:
        made = top / f"made.{_name(turn)}"
        KINDS[turn[1]](made)
        path = top / _name(turn)
        _clear(path)
        for name in (made, Path(f"{made}.twin")):
            if os.path.lexists(name):
                name.rename(top / name.name.removeprefix("made."))


def _clear(path: Path) -> None:
    for name in _names(path):
        if name.is_dir() and not name.is_symlink():
            shutil.rmtree(name)
        elif os.path.lexists(name):
            name.unlink()


def _names(path: Path) -> Iterator[Path]:
    yield path
    yield Path(f"{path}.twin")


def _name(turn: Turn) -> str:
    return "-".join(turn)

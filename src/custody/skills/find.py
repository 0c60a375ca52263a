"""Where skills are: the packaged ones, and a repository's own below ``subskills/<name>/``.

A repository's own skill goes before a packaged one of the same name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

import custody.skills
from custody.errors import UsageError
from custody.model.skill.contract import CONTRACT_FILE
from custody.store.places import is_file, is_folder
from custody.store.root import Root

OWN = "subskills"
"""The folder of a repository that holds its skills."""


class Skill(NamedTuple):
    """A folder that holds a contract."""

    name: str
    """The folder's name; the contract must say the same."""
    path: str
    packaged: bool


def library() -> str:
    """Return the folder of the packaged skills."""
    return os.path.join(custody.skills.__path__[0], "library")


def all_skills(folder: str = ".") -> list[Skill]:
    """Return the skills of a repository, then the packaged ones, each by its name."""
    return [*_below(os.path.join(folder, OWN), packaged=False), *_below(library(), packaged=True)]


def find_skill(word: str, folder: str = ".") -> Skill:
    """Return the skill of that name, or the one in the folder that a word with a ``/`` names.

    Raises `UsageError` when there is none.
    """
    if os.sep in word or word in {os.curdir, os.pardir}:
        path = os.path.abspath(word)
        if not is_folder(path):
            raise UsageError(f"{word!r} is not a folder", hint=_hint())
        return Skill(os.path.basename(path), path, packaged=False)
    known = all_skills(folder)
    for skill in known:
        if skill.name == word:
            return skill
    names = ", ".join(dict.fromkeys(skill.name for skill in known))
    raise UsageError(f"no skill named {word!r}", hint=f"skills are {names}; {_hint()}")


def _below(folder: str, *, packaged: bool) -> Iterator[Skill]:
    if not is_folder(folder):
        return
    with Root.open(folder) as root:
        names = root.names()
    for name in names:
        path = os.path.join(os.path.abspath(folder), name)
        if is_file(os.path.join(path, CONTRACT_FILE)):
            yield Skill(name, path, packaged)


def _hint() -> str:
    return "`custody skill list` lists them; a folder is named by a path with a `/`"

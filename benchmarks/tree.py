"""A source tree to copy, and small changes to find again in it."""

from __future__ import annotations

import os
import random

FILES_A_FOLDER = 50
SIZES = (200, 12_000)
MODIFIED, ADDED, REMOVED = 20, 10, 10


def plant(path: str, files: int) -> None:
    """Make a tree of ``files`` text files, the same one every time."""
    chance = random.Random(0)  # noqa: S311 - sizes of files
    text = os.urandom(SIZES[1] // 2).hex()
    for number in range(files):
        folder = os.path.join(path, *_folder(number // FILES_A_FOLDER))
        if number % FILES_A_FOLDER == 0:
            os.makedirs(folder)
        with open(os.path.join(folder, f"file_{number}.txt"), "w", encoding="ascii") as file:
            file.write(f"{number}\n{text[: chance.randint(*SIZES)]}\n")


def disturb(path: str, turn: int, files: int) -> set[str]:
    """Modify, add and remove a few files, other ones each turn; return their paths."""
    chance = random.Random(turn)  # noqa: S311 - picks files
    span = MODIFIED + REMOVED
    picked = chance.sample(range(turn, files, 8), span)
    changed: set[str] = set()
    for place, number in enumerate(picked):
        name = os.path.join(*_folder(number // FILES_A_FOLDER), f"file_{number}.txt")
        changed.add(name)
        if place < REMOVED:
            os.unlink(os.path.join(path, name))
        else:
            with open(os.path.join(path, name), "a", encoding="ascii") as file:
                file.write(f"turn {turn}\n")
    for number in range(ADDED):
        name = os.path.join(*_folder(number), f"added_{turn}_{number}.txt")
        changed.add(name)
        with open(os.path.join(path, name), "w", encoding="ascii") as file:
            file.write(f"added in turn {turn}\n")
    return changed


def _folder(number: int) -> tuple[str, str]:
    return f"package_{number // 20}", f"module_{number}"

"""Changes that people made and described: of a git repository, or of a folder of patches."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from typing import NamedTuple

from custody.logbook.git_history import GitHistory

SKIPPED = frozenset({"proc", "sys", "dev", "run", "tmp"})
"""Folders of the top in which no history is looked for: what lies there was made a moment ago."""
DEPTH = 7
"""Folders inside each other that are looked into."""
LONGEST = 1 << 18
"""Bytes of a diff; what is longer was made by a program, or adds a whole library."""

_DIFF = re.compile(rb"^(?:diff --git |Index: |--- [^\n]*\n\+\+\+ )", re.MULTILINE)
_SUBJECT = re.compile(r"^(?:Subject|Description):[ \t]*(\S.*(?:\n [^.\s].*)?)", re.MULTILINE)
_DATE = re.compile(
    r"^(?:Last-Updated?|Date|Date-Added):.*?"
    r"((?:19|20)\d\d-\d\d-\d\d|\d{1,2} [A-Z][a-z]{2} (?:19|20)\d\d)",
    re.MULTILINE,
)
_MARK = re.compile(r"^(?:\s*\[[^\]]*\])+\s*")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class Change(NamedTuple):
    """One change, as its author described it."""

    name: str
    at: str
    """When, so that texts of it are in order; empty where nobody said."""
    subject: str
    diff: bytes


class History(NamedTuple):
    """Where changes come from."""

    name: str
    """What the table calls it."""
    changes: list[Change]
    """The oldest first."""


def read(folder: str) -> History:
    """Return the changes of a git repository, or those of a folder of patches."""
    if os.path.exists(os.path.join(folder, ".git")) or os.path.exists(
        os.path.join(folder, "objects")
    ):
        return of_git(folder)
    return of_patches(folder)


def of_git(folder: str) -> History:
    """Return what each commit of HEAD changed; merges change nothing by themselves."""
    history = GitHistory(folder)
    names = history.commits(history.tip("HEAD").commit)
    changes = [
        Change(change.name, change.committed_at, change.subject, change.patch)
        for change in history.changes(names)
        if change.format == "diff" and 0 < len(change.patch) <= LONGEST
    ]
    name = os.path.basename(os.path.abspath(folder))
    return History(f"{name}, {len(names):,} commits", changes)


def of_patches(folder: str) -> History:
    """Return the patches below a folder whose heads say what they are for."""
    changes = [change for path in _files(folder) if (change := _patch(folder, path))]
    changes.sort(key=lambda change: (change.at, change.name))
    name = os.path.basename(os.path.abspath(folder))
    return History(f"{name}, {len(changes):,} patches", changes)


def largest() -> str:
    """Return the git repository of this machine with the most commits; empty for none."""
    return max(_repositories(os.sep), key=commits, default="")


def _repositories(top: str) -> Iterator[str]:
    for folder, folders, _ in os.walk(top):
        depth = folder.rstrip(os.sep).count(os.sep)
        if ".git" in folders:
            yield folder
        skipped = SKIPPED if depth == 0 else frozenset({".git", "node_modules"})
        folders[:] = [name for name in folders if name not in skipped] if depth < DEPTH else []


def commits(folder: str) -> int:
    """Return how many commits lead to HEAD; 0 where there is no repository."""
    words = ["git", "-c", "safe.directory=*", "-C", folder, "rev-list", "--count", "HEAD"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 else 0


def _files(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (os.path.join(place, name) for name in sorted(names))


def _patch(folder: str, path: str) -> Change | None:
    with open(path, "rb") as file:
        data = file.read()
    diff = _DIFF.search(data)
    if diff is None or len(data) - diff.start() > LONGEST:
        return None
    head = data[: diff.start()].decode(errors="replace")
    subject, date = _SUBJECT.search(head), _DATE.search(head)
    said = _MARK.sub("", " ".join(subject[1].split())) if subject else ""
    at = _day(date[1]) if date else ""
    return Change(os.path.relpath(path, folder), at, said, data[diff.start() :])


def _day(text: str) -> str:
    """Return a date as ISO has it."""
    if "-" in text:
        return text
    day, month, year = text.split()
    return f"{year}-{_MONTHS.index(month) + 1:02}-{int(day):02}" if month in _MONTHS else ""

"""``artifacts/survey.json``: what a repository holds of behaviors, and which evidence is there."""

from __future__ import annotations

from typing import Literal

from custody.model.record import Record

SURVEY: Literal["custody-survey-v1"] = "custody-survey-v1"


class Marker(Record, frozen=True):
    """A place in the code that says which behavior it is."""

    id: str
    path: str
    line: int


class IndexEntry(Record, frozen=True):
    """A line of the index that names a behavior."""

    id: str
    page: str
    """What it links to, from the top of the repository; empty without a link."""
    line: int


class Page(Record, frozen=True):
    """A page of the catalog."""

    id: str
    """Empty when the name of the file does not begin with one."""
    path: str
    headings: tuple[str, ...] = ()
    """Its headings of the second level, in order."""


class PassedOver(Record, frozen=True):
    """A file that was not looked into."""

    path: str
    reason: Literal["too_large", "symlink", "unreadable", "not_regular", "name"]


class DeclaredEvidence(Record, frozen=True):
    """A path that a result names as its evidence."""

    path: str
    exists: bool


class Survey(Record, frozen=True):
    """What was found, each list in order of the paths."""

    schema_version: Literal["custody-survey-v1"] = SURVEY
    files: int = 0
    """How many files were looked into."""
    markers: tuple[Marker, ...] = ()
    index: bool = False
    """Whether there is an index."""
    entries: tuple[IndexEntry, ...] = ()
    pages: tuple[Page, ...] = ()
    passed: tuple[PassedOver, ...] = ()
    evidence: tuple[DeclaredEvidence, ...] = ()

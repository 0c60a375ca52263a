"""The facts of a change that others look for: what became of its patch, how it was verified.

They follow from the gates and the answers before them, so a replay comes to them again, and to the
documents that they hold. Those in capitals have the names of the contract that a change is made by.
"""

from __future__ import annotations

from typing import ClassVar, Self

from msgspec.structs import replace

from custody.model.evidence import Evidence
from custody.model.fact import Fact, Traits


class Announcement(Fact, frozen=True, kw_only=True):
    """A fact with documents that follow from what was judged."""

    node: str
    iteration: int
    """Which round of the change this is, from 1 on."""
    documents: tuple[Evidence, ...] = ()

    def evidence(self) -> tuple[Evidence, ...]:
        """Return the documents."""
        return self.documents

    def sealed(self) -> Self:
        """Return the fact as the journal keeps it."""
        return replace(self, documents=tuple(item.sealed() for item in self.documents))


class PatchApplied(Announcement, frozen=True, kw_only=True):
    """A patch is part of the work."""

    traits: ClassVar[Traits] = Traits(
        about="attempt", changes_state=True, traced_as=None, shown_live=False, since="1.4"
    )


class PatchRejected(Announcement, frozen=True, kw_only=True):
    """A patch is not taken; it stays as it was handed in, and a review says why."""

    traits: ClassVar[Traits] = Traits(
        about="attempt",
        changes_state=True,
        traced_as=None,
        shown_live=False,
        level="warning",
        since="1.4",
    )
    reason: str


class VERIFY_STARTED(Announcement, frozen=True, kw_only=True):  # noqa: N801 - the contract's name
    """A change is being verified."""

    traits: ClassVar[Traits] = Traits(
        about="attempt", changes_state=True, traced_as=None, shown_live=False, since="1.4"
    )
    gate: str
    """Which commands judge it: ``lite`` or ``full``."""


class VERIFY_PASSED(Announcement, frozen=True, kw_only=True):  # noqa: N801 - the contract's name
    """The change stood every command and every gate."""

    traits: ClassVar[Traits] = Traits(
        about="attempt", changes_state=True, traced_as=None, shown_live=False, since="1.4"
    )
    gate: str


class VERIFY_FAILED(Announcement, frozen=True, kw_only=True):  # noqa: N801 - the contract's name
    """A command or a gate did not let the change pass."""

    traits: ClassVar[Traits] = Traits(
        about="attempt",
        changes_state=True,
        traced_as=None,
        shown_live=False,
        level="warning",
        since="1.4",
    )
    gate: str
    reason: str


class BUNDLE_CREATED(Announcement, frozen=True, kw_only=True):  # noqa: N801 - the contract's name
    """Everything that explains the failure was put into one file."""

    traits: ClassVar[Traits] = Traits(
        about="attempt", changes_state=True, traced_as=None, shown_live=False, since="1.4"
    )
    bundle: Evidence


AnyAnnouncement = (
    PatchApplied | PatchRejected | VERIFY_STARTED | VERIFY_PASSED | VERIFY_FAILED | BUNDLE_CREATED
)

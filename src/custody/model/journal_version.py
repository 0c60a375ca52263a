"""The versions of the journal, and what differs between them.

A journal has one version, that of its first line. A run that is resumed goes on in the version
it was begun with, and so does a fork with that of the run it was taken from: the facts before
must mean the same to whoever decides again from them.
"""

from __future__ import annotations

from custody.model.record import Record


class JournalVersion(Record, frozen=True):
    """What holds for every line of a journal of one version."""

    number: str
    """What each line says as its ``schema_version``."""
    verdicts_recorded: bool
    """Whether the verdict of each gate is a fact of its own."""


VERSIONS: dict[str, JournalVersion] = {
    known.number: known
    for known in (
        JournalVersion(number="1.0", verdicts_recorded=False),
        JournalVersion(number="1.1", verdicts_recorded=True),
    )
}
"""Every version that is read here."""

CURRENT = VERSIONS["1.1"]
"""Of new runs."""

"""Opens the logbook that a command is about."""

from __future__ import annotations

from argparse import Namespace
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from custody.logbook.artifacts import ArtifactStore
    from custody.logbook.book import Logbook
    from custody.logbook.configured import Places


def named(options: Namespace) -> Places:
    """Return where the logbook and its artifacts are, by flag, environment and configuration."""
    from custody.logbook.configured import places

    return places(options.logbook, options.artifacts)


def logbook(
    options: Namespace, *, begun: bool = False
) -> AbstractContextManager[tuple[Logbook, ArtifactStore]]:
    """Open both; a logbook that must have been ``begun`` is not made."""
    from custody.logbook.configured import opened, refuse_missing

    where = named(options)
    if begun:
        refuse_missing(where.logbook)
    return opened(*where)

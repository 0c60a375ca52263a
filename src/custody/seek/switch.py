"""The switch that leaves the search out: ``SEEKDB_ENABLE=0``."""

from __future__ import annotations

from collections.abc import Mapping

VARIABLE = "SEEKDB_ENABLE"
SKIPPED = f"the search is switched off: {VARIABLE}=0"


def is_enabled(environment: Mapping[str, str]) -> bool:
    """Whether there is a search; uris, packets and the logbook work without it."""
    return environment.get(VARIABLE, "") != "0"

"""Whether a line that says nothing works all the same: it computes, or it is sent something.

What is looked at is the processor time of everything that the line has started, and the bytes
that have passed its proxy. An event loop that only waits computes a little now and then, which is
no work: less than `IDLE_SHARE` of the time that has passed does not count.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

IDLE_SHARE = 0.02
"""Of the time between two looks; whoever has computed less than this has waited."""
LOOKS = 10
"""How often it is looked in the time of the limit."""
LONGEST_PAUSE = 10.0
"""Seconds between two looks."""

Measure = Callable[[], float]


class SignsOfLife:
    """Looks for signs of life, as often as a limit of silence needs it."""

    def __init__(self, quiet: float, computed: Measure, traffic: Measure) -> None:
        """``quiet`` is the limit in seconds, ``computed`` are seconds and ``traffic`` bytes."""
        self._pause = min(quiet / LOOKS, LONGEST_PAUSE) if quiet < math.inf else math.inf
        self._computed = computed
        self._traffic = traffic
        self._looked = time.monotonic()
        self._before = (0.0, 0.0)
        self.next = self._looked + self._pause
        """When it is time to look again; never where there is no limit."""

    def look(self, now: float) -> bool:
        """Tell whether the line has worked since the last look."""
        found = self._computed(), self._traffic()
        computed, traffic = (mine - last for mine, last in zip(found, self._before, strict=True))
        passed = now - self._looked
        self._before, self._looked, self.next = found, now, now + self._pause
        return traffic != 0 or computed > IDLE_SHARE * passed

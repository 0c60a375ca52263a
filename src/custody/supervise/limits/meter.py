"""What a limit watch looks at."""

from __future__ import annotations

from abc import ABC, abstractmethod

from custody.model.limits import Limit


class Meter(ABC):
    """Something that a line takes, and that can become too much."""

    @abstractmethod
    def exceeded(self) -> Limit | None:
        """Return a limit that is exceeded."""

    def at_the_end(self) -> Limit | None:
        """Return a limit that was exceeded, when every process has ended; by default none."""
        return None

    def close(self) -> None:
        """Let go of what it holds; by default nothing."""
        return

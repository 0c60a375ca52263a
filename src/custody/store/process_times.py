"""When processes were at work on a run, as its lines tell it. Pure.

Times are those of the lines, which one process wrote: only such are compared.
"""

from __future__ import annotations

from custody.model.event import AnyFact, PipelineStarted, StageRetrying
from custody.model.process_event import RunInterrupted, RunResumed


class ProcessTimes:
    """Follows who came and went."""

    def __init__(self) -> None:
        self.left = False
        """Whether the last process has told that it leaves, or that the run has ended."""
        self.taken_up_at = ""
        """When the last process began."""
        self.last_at = ""
        """When it wrote its last line."""
        self.waited = 0.0
        """Seconds of the back-off, where one is under way, that have passed by now."""
        self._waits_since = ""
        self._backing_off = False

    def add(self, at: str, fact: AnyFact) -> None:
        """Take in one more line."""
        self.left, self.last_at = fact.traits.last_word, at
        if isinstance(fact, PipelineStarted | RunResumed):
            self.taken_up_at = at
        if isinstance(fact, StageRetrying):
            self.waited, self._waits_since, self._backing_off = 0.0, at, True
        elif fact.traits.decision or fact.traits.waiting == "ends":
            self.waited, self._backing_off = 0.0, False
        elif self._backing_off and isinstance(fact, RunResumed):
            self._waits_since = at
        elif self._backing_off and isinstance(fact, RunInterrupted):
            self.waited += max(0.0, epoch(at) - epoch(self._waits_since))


def epoch(at: str) -> float:
    """Return the seconds from 1970 to the time of a line."""
    from datetime import datetime

    return datetime.fromisoformat(at).timestamp()

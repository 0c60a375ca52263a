"""How a session is doing, told from what its watcher writes and from how long ago that changed.

    starting   the watcher has not said anything yet, or the program is not ready
    idle       it waits for a request
    busy       it works on one, for as long as the request allows
    hung       the watcher lives, but the program is stopped or does not take up its request
    dead       it has ended, and the watcher has written down how
    lost       the watcher is silent: killed, stopped, or on a machine that is gone

Times are those of the one who looks. No two clocks are compared: a heartbeat counts when it differs
from the one before it.
"""

from __future__ import annotations

import time
from typing import Literal, NamedTuple

from custody.executors.sessions.generation import Generation

Condition = Literal["starting", "idle", "busy", "hung", "dead", "lost"]


class Patience(NamedTuple):
    """After how many seconds a session is given up."""

    first: float
    """Without a first heartbeat."""
    lost: float
    """Without another one."""
    hung: float


class Sight(NamedTuple):
    """What is seen of a session at one moment; times say for how long it has been so."""

    ended: bool
    begun: bool
    """Whether there was a heartbeat."""
    silent: float
    """Since the last heartbeat that differed, or since somebody looks for the first."""
    ready: bool
    stopped: float
    """Since the program was first seen stopped."""
    asked: bool
    """Whether a request waits for its ack."""
    unclaimed: float
    """Since a request was put there that nobody has claimed."""


def judge(sight: Sight, patience: Patience) -> Condition:
    """Return the condition; what ends a session is looked at before what it does."""
    if sight.ended:
        return "dead"
    if sight.silent > (patience.lost if sight.begun else patience.first):
        return "lost"
    if not sight.ready:
        return "starting"
    if max(sight.stopped, sight.unclaimed) > patience.hung:
        return "hung"
    return "busy" if sight.asked else "idle"


class Observer:
    """Looks at one session and remembers when things changed."""

    def __init__(self, generation: Generation, patience: Patience) -> None:
        self.patience = patience
        self._generation = generation
        self._beat = -1
        self._changed = time.monotonic()
        self._stopped: float | None = None
        self._ready = False
        self._asked = ""
        self._claimed = True
        self._posted = 0.0
        self.beats = 0
        """How many heartbeats were seen since the first look, the first one not counted."""
        self.program = 0
        """The program's process, as the watcher sees it."""

    def expect(self, key: str) -> None:
        """Take note that a request waits for its ack; an empty key says that none does."""
        self._asked, self._claimed, self._posted = key, not key, time.monotonic()

    def look(self) -> Condition:
        """Return how the session is doing now."""
        ended = self._generation.ended() is not None
        now = time.monotonic()
        self._follow_beat(now)
        self._ready = self._ready or self._generation.ready()
        self._claimed = self._claimed or self._generation.claims.has(self._asked)
        sight = Sight(
            ended=ended,
            begun=self._beat >= 0,
            silent=now - self._changed,
            ready=self._ready,
            stopped=0.0 if self._stopped is None else now - self._stopped,
            asked=bool(self._asked),
            unclaimed=0.0 if self._claimed else now - self._posted,
        )
        return judge(sight, self.patience)

    def _follow_beat(self, now: float) -> None:
        beat = self._generation.beat()
        if beat is None or beat.beat == self._beat:
            return
        self.beats += self._beat >= 0
        self._beat, self._changed, self.program = beat.beat, now, beat.program
        if beat.process.upper() != "T":
            self._stopped = None
        elif self._stopped is None:
            self._stopped = now

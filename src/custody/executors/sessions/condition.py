"""How a session is doing, told from what its watcher writes and from how long ago that changed.

    starting   the watcher has not said anything yet, or the program is not ready
    idle       it waits for a request
    busy       it works on one, for as long as the request allows
    hung       the watcher lives, but the program is stopped, does not take up its request, or
               neither computes nor has a heartbeat, if it has one of its own
    dead       it has ended, and the watcher has written down how
    lost       the watcher is silent: killed, stopped, or on a machine that is gone

Times are those of the one who looks. No two clocks are compared: a heartbeat counts when it differs
from the one before it.
"""

from __future__ import annotations

import math
import time
from typing import Literal, NamedTuple

from custody.executors.sessions.generation import Generation
from custody.model.session import Beat
from custody.supervise.signs_of_life import IDLE_SHARE

Condition = Literal["starting", "idle", "busy", "hung", "dead", "lost"]
Hung = Literal["", "stopped", "silent", "unclaimed"]
"""What a program is hung by: a signal that stops, nothing that moves, a request left alone."""

_SOON = 1.0
"""Seconds in which a request is taken up, where the program has nothing else to do."""


class Patience(NamedTuple):
    """After how many seconds a session is given up."""

    first: float
    """Without a first heartbeat."""
    lost: float
    """Without another one."""
    hung: float
    """With a program that is stopped, or a request that nobody takes up."""
    pulse: float = math.inf
    """With a program that neither computes nor has a heartbeat."""


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
    still: float = 0.0
    """Since a program with a heartbeat of its own had one, or was last seen to compute."""


def judge(sight: Sight, patience: Patience) -> Condition:
    """Return the condition; what ends a session is looked at before what it does."""
    if sight.ended:
        return "dead"
    if sight.silent > (patience.lost if sight.begun else patience.first):
        return "lost"
    if not sight.ready:
        return "starting"
    if hung_by(sight, patience):
        return "hung"
    return "busy" if sight.asked else "idle"


def hung_by(sight: Sight, patience: Patience) -> Hung:
    """Return by what a program is hung, the plainest first; empty when it is not."""
    if sight.stopped > patience.hung:
        return "stopped"
    if sight.still > patience.pulse:
        return "silent"
    return "unclaimed" if sight.unclaimed > patience.hung else ""


def lives(before: Beat, after: Beat, seconds: float) -> bool:
    """Tell whether a program has done anything between two heartbeats of its watcher.

    What an event loop computes that only waits is nothing.
    """
    computed = after.cpu - before.cpu > IDLE_SHARE * seconds
    return computed or after.process == "R" or after.heartbeat != before.heartbeat


class Observer:
    """Looks at one session and remembers when things changed."""

    def __init__(self, generation: Generation, patience: Patience) -> None:
        self.patience = patience
        self._generation = generation
        self._changed = self._alive = time.monotonic()
        self._last: Beat | None = None
        self._stopped: float | None = None
        self._ready = False
        self._asked = ""
        self._claimed = True
        self._posted = 0.0
        self.beats = 0
        """How many heartbeats were seen since the first look, the first one not counted."""
        self.program = 0
        """The program's process, as the watcher sees it."""
        self.hung: Hung = ""
        """By what it was hung at the last look."""

    @property
    def begun(self) -> bool:
        """Whether the watcher was heard of."""
        return self._last is not None

    @property
    def stopped(self) -> bool:
        """Whether the program was stopped when it was last seen, for however short a time."""
        return self._stopped is not None

    def expect(self, key: str) -> None:
        """Take note that a request waits for its ack; an empty key says that none does."""
        self._asked, self._claimed, self._posted = key, not key, time.monotonic()

    def look(self) -> Condition:
        """Return how the session is doing now."""
        ended = self._generation.ended() is not None
        now = time.monotonic()
        self._follow_beat(now)
        self._ready = self._ready or self._generation.ready()
        self._claimed = self._claimed or self._has_claim(now)
        sight = Sight(
            ended=ended,
            begun=self.begun,
            silent=now - self._changed,
            ready=self._ready,
            stopped=0.0 if self._stopped is None else now - self._stopped,
            asked=bool(self._asked),
            unclaimed=0.0 if self._claimed else now - self._posted,
            still=now - self._alive if self._last is not None and self._last.heartbeat else 0.0,
        )
        self.hung = hung_by(sight, self.patience)
        return judge(sight, self.patience)

    def _has_claim(self, now: float) -> bool:
        """Whether the request was taken up; its folder, which may be long, is listed in doubt."""
        claims = self._generation.claims
        doubtful = now - self._posted > _SOON
        return claims.stands(self._asked) or (doubtful and claims.has(self._asked))

    def _follow_beat(self, now: float) -> None:
        beat, last = self._generation.beat(), self._last
        if beat is None or (last is not None and beat.beat == last.beat):
            return
        if last is None or lives(last, beat, now - self._changed):
            self._alive = now
        self.beats += last is not None
        self._last, self._changed, self.program = beat, now, beat.program
        if beat.process.upper() != "T":
            self._stopped = None
        elif self._stopped is None:
            self._stopped = now

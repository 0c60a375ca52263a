"""A session that is open, as this process sees it: waited for, listened to, ended."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from custody.executors.sessions.condition import Condition, Hung, Observer, Patience
from custody.executors.sessions.generation import Generation
from custody.executors.sessions.launch import Launched
from custody.executors.sessions.lease import Leases
from custody.model.session import Ended, SessionKind

GIVEN_UP: tuple[Condition, ...] = ("dead", "lost", "hung")
"""Conditions in which no ack is to be expected any more."""

_PAUSE = 0.02
"""Seconds between two looks at a session that starts or ends."""
_VISIBLE_BEATS = 2
"""So many beats after a launcher has ended everything that the watcher has written is seen."""
_SLACK = 5.0
"""Seconds that a watcher may take to end, beyond what it gives to its program."""


Watch = Callable[[Condition], bool]
"""Sees a session each time that it is looked at, and says whether to wait for it still."""


def _go_on(_condition: Condition) -> bool:
    return True


class Awaited(NamedTuple):
    """What came of waiting for an ack."""

    ack: bytes | None
    condition: Condition
    """How the session was doing when the waiting ended."""
    hung: Hung = ""
    """By what it was hung, or is about to be if it is stopped."""
    stopped: bool = False
    """Whether whoever watched has ended it."""


class LiveSession:
    """One generation of a session, its lease held for as long as it is needed."""

    def __init__(self, generation: Generation, kind: SessionKind, leases: Leases) -> None:
        self.generation = generation
        first = kind.start if kind.launcher else kind.lost
        pulse = math.inf if kind.pulse is None else kind.pulse
        self.observer = Observer(generation, Patience(first, kind.lost, kind.hung, pulse))
        self.watch: Watch = _go_on
        """Is asked with every look while an ack is waited for."""
        self._kind = kind
        self._leases = leases
        self._launched: Launched | None = None
        self._unlaunched = ""
        leases.hold(generation, kind.lease)

    def launch(self, run: str) -> str:
        """Start the watcher; return why its launcher cannot be started, empty when it was."""
        patience = self.observer.patience
        self.observer.patience = patience._replace(first=self._kind.start)
        try:
            self._launched = Launched.start(self._kind, run, self.generation)
        except OSError as error:
            self._unlaunched = f"{error.filename}: {error.strerror}"
        return self._unlaunched

    def look(self) -> Condition:
        """Return how it is doing.

        A watcher that is a child of this process is not waited for when it is gone. From the end
        of a launcher nothing follows, but that one which stays would not be gone if there were a
        watcher to be heard of for the first time.
        """
        gone = bool(self._unlaunched) or self._is_gone()
        condition = self.observer.look()
        return "lost" if gone and condition != "dead" else condition

    def _is_gone(self) -> bool:
        if self._launched is None or not self._launched.gone():
            return False
        if not self._kind.launcher:
            return True
        left_alone = time.monotonic() - self._launched.missed
        due = left_alone > _VISIBLE_BEATS * self._kind.beat
        return due and self._kind.launcher_stays and not self.observer.begun

    def until_ready(self) -> Condition:
        """Wait until the program takes requests and its watcher is seen to live.

        Returns ``starting`` when that takes too long.
        """
        deadline = time.monotonic() + self._kind.start
        while True:
            condition = self.look()
            proved = self._launched is not None or self.observer.beats > 0
            if condition in GIVEN_UP or (condition != "starting" and proved):
                return condition
            if not self.watch(condition):
                return "starting"
            if time.monotonic() > deadline:
                return "starting"
            time.sleep(_PAUSE)

    def listen(self, key: str, seconds: float) -> Awaited:
        """Wait for the ack to a request, at most so long and as long as one is to be expected."""
        condition: Condition = "busy"
        due, wanted = 0.0, True

        def go_on() -> bool:
            nonlocal condition, due, wanted
            if (now := time.monotonic()) >= due:
                condition, due = self.look(), now + self._kind.beat / 2
                wanted = self.watch(condition)
            return wanted and condition not in GIVEN_UP

        self.observer.expect(key)
        ack = self.generation.mailbox.wait(key, seconds, go_on)
        self.observer.expect("")
        hung: Hung = "stopped" if self.observer.stopped else self.observer.hung
        return Awaited(ack, condition, hung, stopped=not wanted)

    def launcher_said(self) -> str:
        """Return how the launcher has ended, which proves nothing; empty as long as it has not."""
        return "" if self._launched is None or not self._kind.launcher else self._launched.said()

    def end(self, *, fence: bool) -> Ended | None:
        """Let the watcher end the program; return how it ended, None when that is not known.

        With ``fence`` no ack that comes meanwhile counts.
        """
        self.generation.ask_to_close()
        if fence:
            self.generation.fence(self.generation.token + 1)
        ended = self._until_ended()
        self._leases.let_go(self.generation)
        if self._launched is not None:
            self._launched.end(0.0 if ended is None else _SLACK)
        self.generation.tidy()
        return ended

    def _until_ended(self) -> Ended | None:
        patience = 2 * self._kind.beat
        if self.observer.begun or not self._kind.launcher:
            patience += self._kind.grace + _SLACK  # else a launcher is still in its queue
        deadline = time.monotonic() + patience
        while self.look() not in ("dead", "lost") and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        return self.generation.ended()

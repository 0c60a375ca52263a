"""A session that is open, as this process sees it: waited for, listened to, ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from custody.executors.sessions.condition import Condition, Observer, Patience
from custody.executors.sessions.generation import Generation
from custody.executors.sessions.launch import Launched
from custody.executors.sessions.lease import Leases
from custody.model.session import Ended, SessionKind

GIVEN_UP: tuple[Condition, ...] = ("dead", "lost", "hung")
"""Conditions in which no ack is to be expected any more."""

_PAUSE = 0.02
"""Seconds between two looks at a session that starts or ends."""
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
    stopped: bool = False
    """Whether whoever watched has ended it."""


class LiveSession:
    """One generation of a session, its lease held for as long as it is needed."""

    def __init__(self, generation: Generation, kind: SessionKind, leases: Leases) -> None:
        self.generation = generation
        first = kind.start if kind.launcher else kind.lost
        self.observer = Observer(generation, Patience(first, kind.lost, kind.hung))
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
            self._launched = Launched.start(self._kind.launcher, run, self.generation)
        except OSError as error:
            self._unlaunched = f"{error.filename}: {error.strerror}"
        return self._unlaunched

    def look(self) -> Condition:
        """Return how it is doing.

        A watcher that is a child of this process is not waited for when it is gone; of a launcher
        nothing follows.
        """
        child = None if self._kind.launcher else self._launched
        gone = bool(self._unlaunched) or (child is not None and child.gone())
        condition = self.observer.look()
        return "lost" if gone and condition != "dead" else condition

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
        return Awaited(ack, condition, stopped=not wanted)

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
        deadline = time.monotonic() + self._kind.grace + 2 * self._kind.beat + _SLACK
        while self.look() not in ("dead", "lost") and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        return self.generation.ended()

"""Follows the journal beside the engine: a thread that hands its lines to the writer of the views.

Lines come when they are durable, and are handed on in bursts: whoever watches sees the files a
moment later, and the engine waits for none of them unless the follower lags far behind. `catch_up`
waits until everything is written; so the views are complete when a run ends, waits or stops.
"""

from __future__ import annotations

import math
import threading
import time

from custody.model.event import AnyFact, Heard, JournalLine, Position
from custody.views.writer import ViewWriter

PAUSE = 0.05
"""Seconds between two bursts: few large ones cost the disk less than many small ones."""
CHUNK = 500
"""How many lines are handed over at once although nothing is committed, as by a resume."""
LAG = 500
"""Most lines that may wait; the engine is held up then."""


class Follower:
    """Keeps the views of one run up to date; close it when the run is left."""

    def __init__(self, writer: ViewWriter) -> None:
        self._writer = writer
        self._coming: list[Heard] = []
        """Heard, and not handed over yet."""
        self._waiting: list[Heard] = []
        self._reached: Position | None = None
        """How far the journal goes with those that wait; None when more belongs to them."""
        self._changed = threading.Condition()
        self._idle = True
        """Whether nothing waits and nothing is being written."""
        self._urgent = False
        """Whether somebody waits for that."""
        self._closed = False
        self._last = -math.inf
        """When the last burst was over."""
        self._failure: BaseException | None = None
        self._thread: threading.Thread | None = None

    def hear(self, line: JournalLine, fact: AnyFact) -> None:
        """Take in one line that is durable by now."""
        self._coming.append((line, fact))
        if len(self._coming) >= CHUNK:
            self._hand_over(None)

    def committed(self, reached: Position) -> None:
        """Hand over what was heard; raises what kept earlier lines from being written."""
        self._hand_over(reached)

    def catch_up(self) -> None:
        """Wait until everything that was heard is written; raises what kept it from that."""
        self._hand_over(self._reached)
        with self._changed:
            self._await_idle()
            self._raise_failure()

    def close(self) -> None:
        """Write what was heard, and end; `committed` and `catch_up` tell what went wrong."""
        with self._changed:
            self._closed = True
            if self._coming:
                self._waiting += self._coming
                self._idle, self._reached = False, None
                self._coming.clear()
                if self._thread is None:
                    self._start()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        self._writer.close()

    def _hand_over(self, reached: Position | None) -> None:
        with self._changed:
            self._raise_failure()
            self._waiting += self._coming
            self._coming.clear()
            self._reached = reached
            if self._thread is None:
                self._start()
            if self._idle:  # else it knows that there is something, and would wake for nothing
                self._idle = False
                self._changed.notify_all()
            if len(self._waiting) > LAG:
                self._await_idle()

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._follow, name="views", daemon=True)
        self._thread.start()

    def _await_idle(self) -> None:
        self._urgent = True
        self._changed.notify_all()
        self._changed.wait_for(lambda: self._idle or self._failure is not None)
        self._urgent = False

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _follow(self) -> None:
        try:
            while self._burst():
                pass
        except BaseException as error:  # noqa: BLE001 - raised where the engine asks
            with self._changed:
                self._failure = error
                self._changed.notify_all()

    def _burst(self) -> bool:
        """Write what waits; False when there is no more to come."""
        with self._changed:
            self._changed.wait_for(lambda: not self._idle or self._closed)
            pause = self._last + PAUSE - time.monotonic()
            self._changed.wait_for(lambda: self._closed or self._urgent, max(0.0, pause))
            waiting, self._waiting = self._waiting, []
            reached, closed = self._reached, self._closed
        if waiting:
            self._writer.write(waiting, reached)
        self._last = time.monotonic()
        with self._changed:
            self._idle = not self._waiting
            self._changed.notify_all()
            return not (closed and self._idle)

"""Ctrl-C, SIGTERM and SIGHUP, let in only where a run can be left safely.

While the journal is being written a signal only leaves a note; while a stage is at work, or
the run waits, it interrupts at once.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any, Self

from custody.errors import Interrupted
from custody.loading import comes_again

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """Holds signals back but where they are allowed. Use as a context manager.

    Who ignores SIGHUP, as `nohup` does, goes on ignoring it.
    """

    def __init__(self) -> None:
        self.requested = ""
        """Name of the signal that came; empty while none has."""
        self._allowed = False
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        import threading

        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                    self._previous[number] = signal.signal(number, self._arrived)
        return self

    def __exit__(self, *_exception: object) -> None:
        for number, previous in self._previous.items():
            signal.signal(number, previous)

    def allowed(self) -> AbstractContextManager[None]:
        """Let a signal interrupt the block, by `KeyboardInterrupt`; also one that came before."""
        return _Allowed(self)

    def let_in(self) -> None:
        """Let a signal interrupt from here on."""
        self._allowed = True
        if self.requested:
            self._allowed = False
            raise KeyboardInterrupt

    def hold_back(self) -> None:
        """Let a signal only leave a note from here on."""
        self._allowed = False

    @contextmanager
    def leaving(self, what: str, hint: str = "") -> Iterator[None]:
        """Let a signal interrupt the block, by `Interrupted`, where no stage is under way."""
        try:
            with self.allowed():
                yield
        except KeyboardInterrupt:
            raise Interrupted(f"{what} was interrupted", hint=hint) from None

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        self.requested = signal.Signals(number).name
        if self._allowed and not comes_again(number, frame):
            self._allowed = False
            raise KeyboardInterrupt


class _Allowed:
    """The block in which a signal interrupts; every stage has one, so it is a light one."""

    __slots__ = ("_interruption",)

    def __init__(self, interruption: Interruption) -> None:
        self._interruption = interruption

    def __enter__(self) -> None:
        self._interruption.let_in()

    def __exit__(self, *_exception: object) -> None:
        self._interruption.hold_back()

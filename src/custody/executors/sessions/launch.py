"""Starts the watcher of a session, here or by a launcher somewhere else."""

from __future__ import annotations

import math
import os
import shlex
import signal
import sys
import time
from contextlib import suppress

from custody.executors.sessions.generation import Generation
from custody.model import layout
from custody.model.session import SessionKind

WATCHER = "custody.supervise.watcher"

_LOOK = os.WEXITED | os.WNOHANG | os.WNOWAIT
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND
_PAUSE = 0.01
_ASKED = 3.0
"""Seconds that a launcher has to end when it is asked to."""


class Launched:
    """A watcher that this process has started, or the launcher that did; either outlives it.

    It leads a session of the kernel's own, so that neither a Ctrl-C nor the end of a terminal
    reaches it. Whether a session lives, and how it ended, is told by its files alone.
    """

    def __init__(self, process: int, *, launcher: bool = False) -> None:
        self._process = process
        self._launcher = launcher
        self._gone = False
        self._status: int | None = None
        self.missed = math.inf
        """When it was first seen to be gone."""

    @classmethod
    def start(cls, kind: SessionKind, run: str, generation: Generation) -> Launched:
        """Start the watcher; raises `OSError` when the launcher cannot be started."""
        folder = f"{run}/{layout.session_folder(generation.session)}"
        watcher = (sys.executable, "-P", "-X", "utf8", "-m", WATCHER, folder, str(generation.token))
        argv = [*kind.launcher, *(map(shlex.quote, watcher) if kind.launcher_shell else watcher)]
        log = generation.open_log(_APPEND)
        try:
            process = os.posix_spawnp(
                argv[0],
                argv,
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, log, 1),
                    (os.POSIX_SPAWN_DUP2, log, 2),
                    *((os.POSIX_SPAWN_CLOSE, descriptor) for descriptor in _handed_down()),
                ],
                setsid=True,
                setsigmask=(),
            )
        finally:
            os.close(log)
        return cls(process, launcher=bool(kind.launcher))

    def gone(self) -> bool:
        """Whether the process has ended; no more than a hint, since it may be a launcher's."""
        if self._gone:
            return True
        try:
            ended, status = os.waitpid(self._process, os.WNOHANG)
            self._gone = ended != 0
            self._status = status if ended else None
        except ChildProcessError:
            self._gone = True  # the host program has waited for it
        if self._gone:
            self.missed = time.monotonic()
        return self._gone

    def said(self) -> str:
        """Return in words how it has ended, as far as this process knows."""
        if not self.gone() or self._status is None:
            return ""
        code = os.waitstatus_to_exitcode(self._status)
        return f"exit code {code}" if code >= 0 else f"signal {-code}"

    def end(self, seconds: float) -> None:
        """Wait for the process to end by itself, and kill it when it does not.

        A launcher is told to end first: only so will it take its job out of a queue.
        """
        deadline = time.monotonic() + seconds
        while not self.gone() and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        if self._launcher and not self.gone():
            self._ask_to_end()
        while not self.gone():
            self._signal(signal.SIGKILL)
            time.sleep(_PAUSE)

    def _ask_to_end(self) -> None:
        """Let a launcher end, and kill what is left of its group while that number is its own."""
        self._signal(signal.SIGTERM)
        deadline = time.monotonic() + _ASKED
        while not self._has_ended() and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        self._signal(signal.SIGKILL)

    def _has_ended(self) -> bool:
        """Whether it has, without waiting for it: its number stays taken."""
        try:
            return os.waitid(os.P_PID, self._process, _LOOK) is not None
        except ChildProcessError:
            return True  # the host program has waited for it

    def _signal(self, number: signal.Signals) -> None:
        """Signal the process; with a launcher the whole group, which it leads.

        What a watcher has started ends with it.
        """
        with suppress(ProcessLookupError):
            (os.killpg if self._launcher else os.kill)(self._process, number)


def _handed_down() -> list[int]:
    """Return the descriptors that a program would inherit beside its streams.

    Whoever waits for the end of a pipe must not wait for a session.
    """
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2 and os.get_inheritable(int(name)):  # noqa: PLR2004 - the streams
                found.append(int(name))
        except OSError:
            continue  # the one that the listing was read with
    return found

"""Starts the watcher of a session, here or by a launcher somewhere else."""

from __future__ import annotations

import os
import signal
import sys
import time

from custody.executors.sessions.generation import Generation
from custody.model import layout

WATCHER = "custody.supervise.watcher"

_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND
_PAUSE = 0.01


class Launched:
    """A watcher that this process has started, or the launcher that did; either outlives it.

    It leads a session of the kernel's own, so that neither a Ctrl-C nor the end of a terminal
    reaches it. Whether a session lives, and how it ended, is told by its files alone.
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._gone = False

    @classmethod
    def start(cls, launcher: tuple[str, ...], run: str, generation: Generation) -> Launched:
        """Start the watcher; raises `OSError` when the launcher cannot be started."""
        folder = f"{run}/{layout.session_folder(generation.session)}"
        watcher = (sys.executable, "-P", "-X", "utf8", "-m", WATCHER, folder, str(generation.token))
        argv = [*launcher, *watcher]
        log = generation.open_log(_APPEND)
        try:
            return cls(
                os.posix_spawnp(
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
            )
        finally:
            os.close(log)

    def gone(self) -> bool:
        """Whether the process has ended; no more than a hint, since it may be a launcher's."""
        try:
            self._gone = self._gone or os.waitpid(self._process, os.WNOHANG)[0] != 0
        except ChildProcessError:
            self._gone = True  # the host program has waited for it
        return self._gone

    def end(self, seconds: float) -> None:
        """Wait for the process to end by itself, and kill it when it does not."""
        deadline = time.monotonic() + seconds
        while not self.gone():
            if time.monotonic() > deadline:
                os.kill(self._process, signal.SIGKILL)
            time.sleep(_PAUSE)


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

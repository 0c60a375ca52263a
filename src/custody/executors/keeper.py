"""The runtime's side of a keeper, the process that starts programs for it."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Mapping
from typing import Self

from custody.executors.channel import Channel, Done, Start, Stop
from custody.executors.keeper_process import keep
from custody.model.request import Command


class Keeper:
    """A forked keeper, ready to start one command line at a time."""

    def __init__(self, pid: int, channel: Channel, stdout: int, stderr: int) -> None:
        self._pid = pid
        self._channel = channel
        self.replies = channel.incoming
        """Readable when a line has ended, or the keeper is gone."""
        self.stdout = stdout
        """Read end, non-blocking; shared by all lines, so it has no end of file between them."""
        self.stderr = stderr

    @classmethod
    def fork(cls) -> Self:
        """Fork a keeper.

        The child runs nothing but `keep`, which takes no lock that a thread of the runtime
        could have held; the interpreter's warning about threads is therefore switched off.
        """
        control, replies, stdout, stderr = os.pipe(), os.pipe(), os.pipe(), os.pipe()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
            if pid == 0:
                keep(control[0], replies[1], stdout[1], stderr[1])
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for descriptor in (control[0], replies[1], stdout[1], stderr[1]):
            os.close(descriptor)
        os.set_blocking(stdout[0], False)
        os.set_blocking(stderr[0], False)
        return cls(pid, Channel(replies[0], control[1]), stdout[0], stderr[0])

    def start(
        self,
        commands: tuple[Command, ...],
        workspace: str,
        environment: Mapping[str, str],
        stdin: str = "",
    ) -> None:
        """Start a chain; a keeper that is gone shows in `done`."""
        self._send(Start(commands, workspace, environment, stdin))

    def stop(self, *, kill: bool) -> None:
        """End the chain, by SIGTERM or by SIGKILL."""
        self._send(Stop(kill))

    def done(self) -> Done | None:
        """Wait for the end of the chain; None when the keeper is gone."""
        message = self._channel.receive()
        return message if isinstance(message, Done) else None

    def close(self) -> None:
        """Let the keeper kill what runs and end; wait for it."""
        self._channel.close()
        os.close(self.stdout)
        os.close(self.stderr)
        try:
            os.waitpid(self._pid, 0)
        except ChildProcessError:
            return  # the host program has waited for it

    def _send(self, message: Start | Stop) -> None:
        try:
            self._channel.send(message)
        except BrokenPipeError:
            return

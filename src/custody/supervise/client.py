"""The runtime's side of a server, the process that starts programs for it."""

from __future__ import annotations

import _socket
import os
import select
import signal
import warnings
from collections.abc import Mapping
from typing import Self

from custody.model.request import Command
from custody.sandbox.confinement import Confinement
from custody.supervise.descendants import children
from custody.supervise.protocol import Channel, Done, Start, Stop
from custody.supervise.server import LOST_AFTER, serve


class Client:
    """A forked server, ready to start one command line at a time."""

    def __init__(self, pid: int, channel: Channel, stdout: int, stderr: int, handover: int) -> None:
        self._pid = pid  # of the reaper, whose only child the server is
        self._channel = channel
        self.replies = channel.incoming
        """Readable when a line has ended, or the server is gone."""
        self.stdout = stdout
        """Read end, non-blocking; shared by all lines, so it has no end of file between them."""
        self.stderr = stderr
        self.handover = handover
        """Where the listeners of a sandbox come out, see `custody.sandbox.listeners`."""

    @classmethod
    def fork(cls) -> Self:
        """Fork a server.

        The child runs nothing but `serve`, which takes no lock that a thread of the runtime
        could have held; the interpreter's warning about threads is therefore switched off.
        """
        control, replies, stdout, stderr = os.pipe(), os.pipe(), os.pipe(), os.pipe()
        way_out, way_in = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
            if pid == 0:
                serve(control[0], replies[1], stdout[1], stderr[1], way_in.fileno())
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for descriptor in (control[0], replies[1], stdout[1], stderr[1]):
            os.close(descriptor)
        way_in.close()
        os.set_blocking(stdout[0], False)
        os.set_blocking(stderr[0], False)
        channel = Channel(replies[0], control[1])
        return cls(pid, channel, stdout[0], stderr[0], way_out.detach())

    def start(
        self,
        commands: tuple[Command, ...],
        workspace: str,
        environment: Mapping[str, str],
        confinement: Confinement | None = None,
        stdin: str = "",
    ) -> None:
        """Start a chain; a server that is gone shows in `done`."""
        self._send(Start(commands, workspace, environment, confinement, stdin))

    def stop(self, *, kill: bool) -> None:
        """End the chain, by SIGTERM or by SIGKILL."""
        self._send(Stop(kill))

    def done(self) -> Done | None:
        """Wait for the end of the chain; None when the server is gone."""
        message = self._channel.receive()
        return message if isinstance(message, Done) else None

    def close(self) -> None:
        """Let the server kill what runs and end; wait for it, and its reaper.

        A server that does not end, for instance because somebody has stopped it, is killed; its
        reaper then ends what it has started.
        """
        self._channel.close()
        for descriptor in (self.stdout, self.stderr, self.handover):
            os.close(descriptor)
        try:
            if not self._ends_within(LOST_AFTER):
                for server in children(self._pid):
                    os.kill(server, signal.SIGKILL)
            if not self._ends_within(LOST_AFTER):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        except (ChildProcessError, ProcessLookupError):
            return  # the host program has waited for it

    def _ends_within(self, seconds: float) -> bool:
        try:
            process = os.pidfd_open(self._pid)
        except OSError:
            return True  # the kernel is too old to wait for a time
        try:
            poll = select.poll()  # select knows no descriptor above 1023
            poll.register(process, select.POLLIN)
            return bool(poll.poll(seconds * 1000))
        finally:
            os.close(process)

    def _send(self, message: Start | Stop) -> None:
        try:
            self._channel.send(message)
        except BrokenPipeError:
            return

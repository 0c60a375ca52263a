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
from custody.supervise.descendants import children, computed_below
from custody.supervise.protocol import Channel, Done, Start, Stop
from custody.supervise.server import LOST_AFTER, serve
from custody.supervise.streams_handover import send_streams


class Client:
    """A forked server, ready to start one command line at a time."""

    def __init__(self, pid: int, channel: Channel, handover: int) -> None:
        self._pid = pid  # of the reaper, whose only child the server is
        self._channel = channel
        self.replies = channel.incoming
        """Readable when a line has ended, or the server is gone."""
        self.handover = handover
        """Where the streams of a line go in and the listeners of a sandbox come out."""
        self._lines = 0
        self._pipes: tuple[int, ...] = ()
        self.begin()

    def begin(self) -> None:
        """Make streams for the lines to come; what those before did to theirs is over.

        The runtime holds both ends, so that none of them ends before it has been told to.
        """
        made = os.pipe(), os.pipe()
        for reader, _ in made:
            os.set_blocking(reader, False)
        self._close_pipes()
        self._pipes = (*made[0], *made[1])

    @property
    def stdout(self) -> int:
        """Where the output of a line comes out; never blocks."""
        return self._pipes[0]

    @property
    def stderr(self) -> int:
        """The same for its other output."""
        return self._pipes[2]

    @classmethod
    def fork(cls) -> Self:
        """Fork a server.

        The child runs nothing but `serve`, which takes no lock that a thread of the runtime
        could have held; the interpreter's warning about threads is therefore switched off.
        """
        control, replies = os.pipe(), os.pipe()
        way_out, way_in = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
            if pid == 0:
                serve(control[0], replies[1], way_in.fileno())
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(control[0])
        os.close(replies[1])
        way_in.close()
        return cls(pid, Channel(replies[0], control[1]), way_out.detach())

    def start(
        self,
        commands: tuple[Command, ...],
        workspace: str,
        environment: Mapping[str, str],
        confinement: Confinement | None = None,
        stdin: str = "",
    ) -> None:
        """Start a chain; a server that is gone shows in `done`."""
        self._lines += 1
        send_streams(self.handover, self._lines, (self._pipes[1], self._pipes[3]))
        self._send(Start(commands, workspace, environment, confinement, stdin, self._lines))

    def stop(self, *, kill: bool) -> None:
        """End the chain, by SIGTERM or by SIGKILL."""
        self._send(Stop(kill))

    def computed(self, *, inside: bool) -> float:
        """Return the seconds that what it started has computed; ``inside`` a sandbox of L3 or not.

        Neither the server counts nor the first process of the sandbox: they watch over the line.
        """
        servers = children(self._pid)
        for server in servers if inside else ():
            servers = children(server)
        return sum(map(computed_below, servers))

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
        self._close_pipes()
        os.close(self.handover)
        try:
            if not self._ends_within(LOST_AFTER):
                for server in children(self._pid):
                    os.kill(server, signal.SIGKILL)
            if not self._ends_within(LOST_AFTER):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        except (ChildProcessError, ProcessLookupError):
            return  # the host program has waited for it

    def _close_pipes(self) -> None:
        for descriptor in self._pipes:
            os.close(descriptor)
        self._pipes = ()

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

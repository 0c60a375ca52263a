"""The process that stands between the runtime and the programs it starts.

A server is forked once and then starts one command line at a time. It is a child subreaper, so
everything a line starts stays its descendant, after a double fork and in a session of its own
too; and nothing else is. What is left when a line has ended can therefore be ended without
asking what it is, and no process of anybody else is ever touched: signals go to children of the
server alone, whose numbers cannot be given away before the server has waited for them.

When the runtime is gone, however it ended, its end of the pipe is closed; the server then kills
what runs and ends. So nothing writes into a workspace that a resumed run has taken over. What
a server leaves that was itself killed is ended by its reaper.

Whatever goes wrong while a line is prepared or run is the end of that line and is told to the
runtime; the server goes on. What goes wrong between lines, or before the first, ends the server,
and is told for the next one.
"""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import NoReturn

import msgspec

from custody.model.limits import StageLimits
from custody.model.request import Command
from custody.sandbox import apply
from custody.sandbox.askers import Askers
from custody.sandbox.confinement import Confinement, seen_environment
from custody.supervise import command_list
from custody.supervise.children import Children
from custody.supervise.command_list import End
from custody.supervise.descendants import freeze, send_end
from custody.supervise.detach import let_go_of_everything_but, one_descriptor_free
from custody.supervise.feed import NOTHING, Feed
from custody.supervise.limits.line_group import LineGroups
from custody.supervise.limits.watch import LimitWatch, watch_inside, watch_outside
from custody.supervise.protocol import Channel, Done, Message, Outdated, Start, Stop
from custody.supervise.reaper import PATIENCE, go_on_guarded
from custody.supervise.sandbox_init import Inside, Spare, fork_inside
from custody.supervise.spawn import CannotStart, Spawner, not_confined, open_input
from custody.supervise.streams_handover import receive_streams

LOST_AFTER = 2 * PATIENCE
"""Seconds after which a sandbox that was told to kill, and does not answer, is killed."""


def serve(control: int, replies: int, handover: int) -> NoReturn:
    """Be a server in a process just forked, with all signals blocked; never returns."""
    channel = Channel(control, replies)
    try:
        kept = let_go_of_everything_but(control, replies, handover)
        channel = Channel(kept[0], kept[1])
        server = _Server(channel, kept[2], go_on_guarded(kept[1]))
        try:
            server.serve()
        finally:
            server.end()
    except (OSError, MemoryError, RuntimeError, apply.CannotConfine) as error:
        channel.send(Done(_failed(error), 0, 0, last=True))
    finally:
        os._exit(0)


class _Server:
    """What a server does."""

    def __init__(
        self, channel: Channel, handover: int, reaper: int | None = None, *, inside: bool = False
    ) -> None:
        self._channel = channel
        self._reaper = reaper
        self.handover = handover
        self._stdout = self._stderr = -1
        self._stopping = False
        self._lost_at = math.inf
        self._inside: Channel | None = None
        self._groups = LineGroups()
        self.watch = LimitWatch(StageLimits())
        self._children = Children()
        self._spare = Spare(self._children)
        self._leaving = 0
        self._poll = select.poll()
        self._askers = Askers(self._poll)
        self._feed = Feed(self._poll)
        self._spawner = Spawner(self._askers, alone=not inside)
        self._poll.register(channel.incoming, select.POLLIN)
        self._poll.register(self._children.exits, select.POLLIN)
        if reaper is not None:
            self._poll.register(reaper, select.POLLIN)

    def serve(self) -> None:
        """Run chains until the runtime is gone, or the reaper."""
        while (message := self._next_message()) is not None:
            if isinstance(message, Start):
                self._stopping = False
                self._lost_at = math.inf
                self._children.ended.clear()
                self._channel.send(self._answer(message))
                self._see_off()
                self._make_spare(message.confinement)

    def _next_message(self) -> Message | None:
        """Wait for the runtime; None when there is nobody left to work for."""
        while self._channel.incoming not in (speaking := self._speaking(None)):
            if self._reaper in speaking:
                return None
            self._children.reap()
        return self._channel.receive()

    def _answer(self, start: Start) -> Done:
        try:
            what = start.confinement
            memory = self._askers.memory
            with (
                self._groups.of(what) as group,
                closing(memory),
                closing(watch_outside(what, group, memory.held)) as self.watch,
            ):
                done = self._run_confined(start)
                exceeded = done.exceeded or self.watch.finish()
            return msgspec.structs.replace(done, exceeded=exceeded, grouped=group is not None)
        except (OSError, MemoryError, RuntimeError, apply.CannotConfine) as error:
            with one_descriptor_free():
                return Done(_failed(error), *self._children.kill())

    def _run_confined(self, start: Start) -> Done:
        confinement = start.confinement
        if confinement is not None and confinement.level != "L3":
            apply.lower_limits(confinement.limits, alone=False)
        if confinement is None or confinement.level == "L1":
            return self.run(msgspec.structs.replace(start, confinement=None))
        seen = msgspec.structs.replace(
            start,
            workspace=confinement.view,
            tools=confinement.tools_of_source,
            environment=seen_environment(confinement, start.environment),
        )
        if confinement.level == "L2":
            return self.run(seen)
        return self._run_inside(seen, confinement)

    def _run_inside(self, start: Start, confinement: Confinement) -> Done:
        """Let a server of its own run the chain, as the first process of new namespaces."""
        if spare := self._spare.take(confinement.base):
            done = self._run_in(spare, msgspec.structs.replace(start, spare=True))
            if not isinstance(done, Outdated):
                return done
        if self._stopping:
            return Done(End(0), 0, 0)
        try:
            done = self._run_in(self._fork_inside(confinement.base), start)
        except apply.CannotConfine as error:
            return Done(not_confined(error).end, 0, 0)
        return _lost(0, 0) if isinstance(done, Outdated) else done

    def _run_in(self, inside: Inside, start: Start) -> Done | Outdated:
        self._groups.add(inside.first)
        self._pass_on(inside.channel, start)
        return self._follow(inside.first, inside.channel)

    def _fork_inside(self, base: Confinement) -> Inside:
        identity = os.geteuid(), os.getegid()

        def be_first(channel: Channel) -> NoReturn:
            self._channel.close()
            self.watch.close()
            _serve_inside(base, identity, channel, self.handover)

        return fork_inside(base, be_first)

    def _make_spare(self, confinement: Confinement | None) -> None:
        """Make ready for the next line now, while nobody waits for it."""
        if confinement is not None and confinement.level == "L3":
            self._spare.make(confinement.base, self._fork_inside)
        elif confinement is not None and confinement.level == "L2":
            self._spawner.lay_groundwork(confinement.base)

    def _follow(self, first: int, inside: Channel) -> Done | Outdated:
        """Pass messages on until the first process has spoken, and all that it started has ended.

        The process itself is then on its way out, and the mounts of its sandbox go with it: what
        waits for that is the next line, and whoever closes the server. A control group must be
        empty before it can be removed.
        """
        self._inside = inside
        done: Message | None = None
        try:
            self._poll.register(inside.incoming, select.POLLIN)
            while inside.incoming not in self._wait(self._time_left()):
                if time.monotonic() >= self._lost_at:
                    send_end(first, kill=True)
            done = inside.receive()
        finally:
            self._inside = None
            self._poll.unregister(inside.incoming)
            inside.close()
        if isinstance(done, Done) and not done.survivors and not self._groups.has_one:
            self._leaving = first
            return done
        deadline = time.monotonic() + PATIENCE
        while first not in self._children.ended and time.monotonic() < deadline:
            self._wait(PATIENCE)
        left = self._children.kill()
        if isinstance(done, Outdated):
            return done
        if not isinstance(done, Done):
            return _lost(*left)
        # What the first process could not kill, the kernel has: it waits for all of them.
        return Done(done.end, done.leftovers + left[0], left[1], done.exceeded)

    def _see_off(self) -> None:
        """Wait for the end of a sandbox whose line was answered; the next may use its folders."""
        if self._leaving:
            self._children.wait_for(self._leaving, PATIENCE)
            self._leaving = 0
            self._children.kill()

    def _time_left(self) -> float | None:
        """Return how long to wait for a sandbox that was told to kill; None for ever."""
        if self._lost_at == math.inf:
            return None
        return max(0.0, self._lost_at - time.monotonic()) or PATIENCE

    def run(self, start: Start) -> Done:
        """Run a chain to the end of everything it started."""
        try:
            with self.opened(start) as source:
                return self.run_with(source, start)
        except CannotStart as error:
            return Done(error.end, 0, 0)

    @contextmanager
    def opened(self, start: Start) -> Iterator[int]:
        """Hold what a chain reads and writes, for its time; gives its input."""
        self._stdout, self._stderr = receive_streams(self.handover, start.line)
        source = NOTHING
        try:
            source = open_input(start)
            yield source
        finally:
            for descriptor in (self._stdout, self._stderr, source):
                if descriptor != NOTHING:
                    os.close(descriptor)

    def run_with(self, source: int, start: Start) -> Done:
        """Run a chain whose input is open already."""
        end = End(0)
        for pipe in command_list.pipes(start.commands):
            if not self._stopping and pipe.follows(end):
                end = self._run_pipe(pipe.commands, start, source)
        return Done(end, *self._children.kill(), self.watch.finish())

    def _run_pipe(self, commands: tuple[Command, ...], start: Start, whole_input: int) -> End:
        running: list[int | End] = []
        source = self._feed.open(whole_input)
        for command in commands[:-1]:
            following, sink = os.pipe()
            running.append(self._try(command, start, source, sink))
            os.close(source)
            os.close(sink)
            source = following
        running.append(self._try(commands[-1], start, source, self._stdout))
        os.close(source)
        while any(isinstance(item, int) and item not in self._children.ended for item in running):
            self._wait(None)
        self._feed.close()
        return command_list.end_of_pipe(
            [self._children.ended[item] if isinstance(item, int) else item for item in running]
        )

    def _try(self, command: Command, start: Start, stdin: int, stdout: int) -> int | End:
        """Start a command; return its process, or the end of one that cannot be started."""
        # Programs share these pipes, and one before may have left them non-blocking.
        os.set_blocking(stdout, True)
        os.set_blocking(self._stderr, True)
        try:
            with self._groups.joined():
                child = self._spawner.spawn(command, start, (stdin, stdout, self._stderr))
        except CannotStart as error:
            return error.end
        self._children.ended.pop(child, None)  # a number may come back while a line runs
        return child

    def _wait(self, seconds: float | None) -> list[int]:
        """Wait until a child has ended or somebody has said something, and take note.

        Returns the descriptors that have something to say.
        """
        speaking = self._speaking(self.watch.pause(seconds))
        if self._reaper in speaking:
            self._end_alone()
        if self._channel.incoming in speaking:
            self._obey()
        self._children.reap()
        if self.watch.look():
            self._end_line()
        return speaking

    def _speaking(self, seconds: float | None) -> list[int]:
        polled = self._poll.poll(None if seconds is None else math.ceil(seconds * 1000))
        self._askers.serve(polled)
        self._feed.serve(polled)
        speaking = [descriptor for descriptor, _ in polled]
        if self._children.exits in speaking:
            self._children.hear()
        return speaking

    def _obey(self) -> None:
        message = self._channel.receive()
        if message is None:
            self._end_alone()
        self._end_line(Stop(isinstance(message, Stop) and message.kill))

    def _end_line(self, how: Stop = Stop(kill=True)) -> None:  # noqa: B008 - frozen
        """End what runs, and start nothing more of the line."""
        self._stopping = True
        if self._inside is not None:
            self._lost_at = time.monotonic() + LOST_AFTER if how.kill else math.inf
            self._pass_on(self._inside, how)
            return
        for child in self._children.others():
            send_end(child, kill=how.kill)
        if self.watch.exceeded:
            freeze(os.getpid())  # whoever has left the groups that were killed

    def _end_alone(self) -> NoReturn:
        """End, since there is nobody left to work for."""
        try:
            self.end()
        finally:
            os._exit(0)

    def _pass_on(self, inside: Channel, message: Message) -> None:
        try:
            inside.send(message)
        except BrokenPipeError:
            return  # it has ended meanwhile, which is seen by its silence

    def end(self) -> None:
        """Kill every descendant, the spare too."""
        self._children.spared = 0
        self._children.kill()


def _serve_inside(
    base: Confinement, identity: tuple[int, int], channel: Channel, handover: int
) -> NoReturn:
    """Be the server inside a sandbox, for one chain; never returns."""
    try:
        os.setsid()  # whoever ends it by its group must not end the server outside
        apply.die_with_parent()
        server = _Server(channel, handover, inside=True)
        laid_out: apply.LaidOut | apply.CannotConfine
        try:
            laid_out = apply.lay_out(base, *identity)
        except apply.CannotConfine as error:
            laid_out = error
        start = channel.receive()
        if isinstance(start, Start):
            outdated = start.spare and (
                isinstance(laid_out, apply.CannotConfine) or not laid_out.is_current()
            )
            channel.send(Outdated() if outdated else _run_moved_in(server, start, laid_out))
    finally:
        os._exit(0)


def _failed(error: Exception) -> End:
    why = f"server_failed: {str(error) or type(error).__name__}"
    return End(command_list.EXIT_CANNOT_START, failure=why)


def _lost(leftovers: int, survivors: int) -> Done:
    lost = apply.CannotConfine("the first process of the sandbox is gone")
    return Done(not_confined(lost).end, leftovers, survivors)


def _run_moved_in(
    server: _Server, start: Start, laid_out: apply.LaidOut | apply.CannotConfine
) -> Done:
    confinement = start.confinement
    if confinement is None:
        return Done(not_confined(apply.CannotConfine("there is no confinement")).end, 0, 0)
    if isinstance(laid_out, apply.CannotConfine):
        return Done(not_confined(laid_out).end, 0, 0)
    try:
        with server.opened(start) as source:  # its place cannot be seen from inside
            apply.move_in(confinement, laid_out, server.handover)
            server.watch = watch_inside(confinement, f"/proc/self/fd/{laid_out.root.processes}")
            return server.run_with(source, msgspec.structs.replace(start, confinement=None))
    except apply.CannotConfine as error:
        return Done(not_confined(error).end, 0, 0)
    except CannotStart as error:
        return Done(error.end, 0, 0)

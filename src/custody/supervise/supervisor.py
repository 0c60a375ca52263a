"""Runs command lines and sees to it that nothing they started outlives the call.

    with Supervisor() as supervisor:
        result = supervisor.run(line, launch, limits, stdout=out, stderr=err)

Programs start without a shell, in a session of their own, with nothing or one file as their input
and an environment that is given in full. Both of their streams are read at once into the
descriptors given by the caller, up to a limit. When `run` returns, everything the line started
is gone; it ends early with the time-out, a silence, the output limit or an exception in the
runtime, Ctrl-C included. A failure of the work is a result, never an exception; a disk that
takes no output is `StorageFailed`.
"""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, Self

import msgspec

from custody.checks.guards.secrets import Redactor, redactor_for
from custody.model.limits import LIMIT_EXCEEDED, Holder, Limit
from custody.model.record import Record
from custody.model.request import CommandLine
from custody.sandbox.confinement import Confinement
from custody.store.os_errors import failure
from custody.supervise.signs_of_life import SignsOfLife
from custody.supervise.streams import Captured, Stream

if TYPE_CHECKING:
    from custody.egress.proxy import Proxy
    from custody.supervise.client import Client
    from custody.supervise.protocol import Done

OUTPUT_LIMIT = 10 * 1024 * 1024
"""Bytes of one stream that are kept."""

LOST_AFTER = 30.0
"""Seconds after which a server that was told to kill, and does not answer, is given up."""

StreamName = Literal["stdout", "stderr"]
EndedBy = Literal["", "timeout", "inactivity", "output_limit", "limit_exceeded", "supervisor_lost"]


class Limits(NamedTuple):
    """How much a command line may take."""

    timeout: float
    """Seconds for the whole line."""
    output: int = OUTPUT_LIMIT
    """Bytes kept of each stream; a line that writes more is ended."""
    grace: float = 2.0
    """Seconds between asking to end and killing."""
    quiet: float = math.inf
    """Seconds without a sign of life after which a line that has written something is ended."""
    heartbeat: float = math.inf
    """Seconds between two calls of `Listener.beat`."""


class Listener(Protocol):
    """Follows a command line while it runs."""

    def heard(self, stream: StreamName, data: bytes) -> None:
        """Take note of output that was just kept."""
        ...

    def beat(self, seconds: float) -> None:
        """Take note that it still runs, so long after its start."""
        ...


class Launch(NamedTuple):
    """Where a command line runs and what it sees."""

    workspace: str
    """Absolute path; a command's ``workdir`` is relative to it."""
    environment: Mapping[str, str]
    """All variables; see `custody.sandbox.environment`."""
    confinement: Confinement | None = None
    """What its processes may reach; None for everything that the runtime may."""


class ProcessResult(Record, frozen=True):
    """What became of a command line."""

    exit_code: int | None
    """128 + n after signal n; None when the runtime ended it."""
    signal: int
    """The signal that ended the last command; 0 when it ended by itself."""
    seconds: float
    ended_by: EndedBy
    """Why the runtime ended it; empty when it ended by itself."""
    failure: str
    """Why a command could not be started, as ``tool_not_found: NAME``; empty when it was."""
    leftovers: int
    """Processes that outlived their command and were killed."""
    survivors: int
    """Processes that could not be killed; they may still write."""
    stdout: Captured
    stderr: Captured
    reached: tuple[str, ...] = ()
    """``host:port`` of each server that the proxy of a closed network connected it to.

    At L2 a server of this machine can be reached without the proxy, and is not told then.
    """
    refused: tuple[str, ...] = ()
    """Servers that it asked the proxy for and was not given, as far as they are remembered."""
    exceeded: str = ""
    """The limit for which it was ended, as ``memory (4G)``."""
    held_by: dict[Limit, Holder] = {}
    """What kept each limit of its confinement; nothing where there was none."""

    @property
    def succeeded(self) -> bool:
        """Whether it ended by itself, with exit code 0 and without leaving a writer."""
        return self.exit_code == 0 and not self.survivors

    @property
    def redacted(self) -> int:
        """How many secrets were taken out of both streams."""
        return self.stdout.redacted + self.stderr.redacted

    @property
    def failure_reason(self) -> str:
        """One stable word or two for the outcome; empty after a success."""
        if self.exceeded:
            return f"{LIMIT_EXCEEDED}: {self.exceeded}"
        if self.ended_by or self.failure:
            return self.ended_by or self.failure
        if self.survivors:
            return "processes_left"
        return f"tool_exit_code_{self.exit_code}" if self.exit_code else ""


class Supervisor:
    """Runs one command line at a time; its server is forked with the first."""

    def __init__(self, redactor: Redactor | None = None) -> None:
        """Clean output by ``redactor``; without one, of the secrets of this process."""
        self._client: Client | None = None
        self._lowered = math.inf
        """The most files that the server can let a program open."""
        self._redactor = redactor or redactor_for(os.environ)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server and everything it has started."""
        client, self._client, self._lowered = self._client, None, math.inf
        if client is not None:
            client.close()

    def run(
        self,
        line: CommandLine,
        launch: Launch,
        limits: Limits,
        *,
        stdout: int,
        stderr: int,
        stdin: str = "",
        listener: Listener | None = None,
        redactor: Redactor | None = None,
    ) -> ProcessResult:
        """Run ``line``; both streams go to the descriptors given, its input is a file's path.

        A ``redactor`` takes the place of the usual one for this line.
        """
        started = time.monotonic()
        client = self._ready_client(launch.confinement)
        sinks: dict[StreamName, int] = {"stdout": stdout, "stderr": stderr}
        watch = _Watch(client, sinks, limits.output, redactor or self._redactor, listener)
        try:
            proxy, confinement = _open_proxy(launch.confinement, client)
        except (OSError, ValueError) as error:
            return watch.result(_not_confined(error), time.monotonic() - started)
        try:
            client.start(line.commands, launch.workspace, launch.environment, confinement, stdin)
            done = watch.until_done(limits, _signs(limits, client, confinement, proxy))
        except BaseException as error:
            watch.give_up(limits.grace)
            self.close()
            if isinstance(error, OSError):
                raise failure(error, f"output of {line.text!r}") from error
            raise
        finally:
            if proxy is not None:
                proxy.close()
        if done is None or done.survivors or done.last:
            self.close()
        return watch.result(done, time.monotonic() - started, proxy, confinement)

    def _ready_client(self, confinement: Confinement | None = None) -> Client:
        """Return a server that can give the limits; what one has lowered it cannot raise again."""
        if confinement is not None:
            wanted = confinement.limits.open_files
            if wanted > self._lowered:
                self.close()
            if confinement.level != "L3":
                self._lowered = min(wanted, self._lowered)
        if self._client is not None:
            self._client.begin()
            return self._client
        from custody.supervise.client import Client

        self._client = Client.fork()
        return self._client


def _open_proxy(
    confinement: Confinement | None, client: Client
) -> tuple[Proxy | None, Confinement | None]:
    """Open what a closed network needs to reach servers; return where it is found, too."""
    if confinement is None or confinement.level == "L1" or confinement.network != "none":
        return None, confinement
    if not confinement.reach:
        return None, confinement
    from custody.egress.proxy import Proxy

    if confinement.level == "L3":
        proxy = Proxy.inside(confinement.reach, client.handover)
    else:
        proxy = Proxy.on_this_machine(confinement.reach)
    return proxy, msgspec.structs.replace(confinement, listeners=proxy.listeners)


def _signs(
    limits: Limits, client: Client, confinement: Confinement | None, proxy: Proxy | None
) -> SignsOfLife:
    """Return what tells whether a silent line works: it computes, or bytes pass its proxy."""
    inside = confinement is not None and confinement.level == "L3"
    traffic = (lambda: 0) if proxy is None else (lambda: proxy.traffic)
    return SignsOfLife(limits.quiet, partial(client.computed, inside=inside), traffic)


def _held_by(confinement: Confinement | None, done: Done | None) -> dict[Limit, Holder]:
    if confinement is None or done is None:
        return {}
    from custody.supervise.limits.watch import holders

    return holders(confinement.level, is_root=os.geteuid() == 0, grouped=done.grouped)


def _not_confined(error: OSError | ValueError) -> Done:
    from custody.sandbox.apply import CannotConfine
    from custody.supervise.protocol import Done
    from custody.supervise.spawn import not_confined

    return Done(not_confined(CannotConfine(str(error))).end, 0, 0)


class _Watch:
    """Follows one command line to its end."""

    def __init__(
        self,
        client: Client,
        sinks: dict[StreamName, int],
        limit: int,
        redactor: Redactor,
        listener: Listener | None,
    ) -> None:
        self._client = client
        self._listener = listener
        sources: dict[StreamName, int] = {"stdout": client.stdout, "stderr": client.stderr}
        self._streams = {
            source: Stream(sinks[name], limit, redactor, partial(self._heard, name))
            for name, source in sources.items()
        }
        self._last_heard = math.inf
        self._ended_by: EndedBy = ""
        self._poll = select.poll()
        for descriptor in (*self._streams, client.replies):
            self._poll.register(descriptor, select.POLLIN)

    def until_done(self, limits: Limits, signs: SignsOfLife) -> Done | None:
        """Read both streams until everything has ended; None when the server is lost."""
        started = time.monotonic()
        alarm = started + limits.timeout
        beat = started + limits.heartbeat
        killed = False
        while not self._step(self._wake(alarm, beat, limits, signs) - time.monotonic()):
            now = time.monotonic()
            self._look_for(signs, now)
            if killed and now >= alarm:
                break
            if now >= beat:
                beat = now + limits.heartbeat
                self._beat(now - started)
            if self._ended_by and now >= alarm:
                self._client.stop(kill=True)
                killed, alarm = True, now + LOST_AFTER
            elif not self._ended_by and (reason := self._reason_to_end(now, alarm, limits)):
                self._ended_by = reason
                self._client.stop(kill=False)
                alarm = now + limits.grace
        else:
            done = self._client.done()
            self._drain()
            if done:
                return done
        self._ended_by = "supervisor_lost"
        for stream in self._streams.values():
            stream.finish()
        return None

    def give_up(self, grace: float) -> None:
        """Ask everything to end and wait for it, as long as ``grace``."""
        self._client.stop(kill=False)
        for stream in self._streams.values():
            stream.discard()
        deadline = time.monotonic() + grace
        while (left := deadline - time.monotonic()) > 0 and not self._step(left):
            pass

    def result(
        self,
        done: Done | None,
        seconds: float,
        proxy: Proxy | None = None,
        confinement: Confinement | None = None,
    ) -> ProcessResult:
        """Return what is to be told of the line."""
        stdout, stderr = self._streams.values()
        exceeded = done.exceeded if done and not self._ended_by else ""
        if exceeded:
            self._ended_by = "limit_exceeded"
        return ProcessResult(
            exit_code=done.end.exit_code if done and not self._ended_by else None,
            signal=done.end.signal if done else 0,
            seconds=round(seconds, 6),
            ended_by=self._ended_by,
            failure=done.end.failure if done else "",
            leftovers=done.leftovers if done else 0,
            survivors=done.survivors if done else 0,
            stdout=stdout.captured(),
            stderr=stderr.captured(),
            reached=proxy.reached if proxy else (),
            refused=proxy.refused if proxy else (),
            exceeded=exceeded,
            held_by=_held_by(confinement, done),
        )

    def _heard(self, stream: StreamName, data: bytes) -> None:
        self._last_heard = time.monotonic()
        if self._listener:
            self._listener.heard(stream, data)

    def _beat(self, seconds: float) -> None:
        if self._listener:
            self._listener.beat(seconds)

    def _look_for(self, signs: SignsOfLife, now: float) -> None:
        """Take a sign of life for output, when it is time to look and there is one."""
        if now >= signs.next and signs.look(now) and self._last_heard < math.inf:
            self._last_heard = now

    def _wake(self, alarm: float, beat: float, limits: Limits, signs: SignsOfLife) -> float:
        """Return when there is something to do though nothing was said."""
        if self._ended_by:
            return min(alarm, beat)
        return min(alarm, beat, self._last_heard + limits.quiet, signs.next)

    def _reason_to_end(self, now: float, alarm: float, limits: Limits) -> EndedBy:
        if now >= alarm:
            return "timeout"
        if now >= self._last_heard + limits.quiet:
            return "inactivity"
        return "output_limit" if any(s.truncated for s in self._streams.values()) else ""

    def _step(self, seconds: float) -> bool:
        """Take what is there, waiting at most so long; tell whether the server has spoken."""
        spoken = False
        timeout = None if seconds == math.inf else max(0, math.ceil(seconds * 1000))
        for descriptor, _ in self._poll.poll(timeout):
            if descriptor == self._client.replies:
                spoken = True
            else:
                self._streams[descriptor].take_from(descriptor)
        return spoken

    def _drain(self) -> None:
        for descriptor, stream in self._streams.items():
            while stream.take_from(descriptor):
                pass
            stream.finish()

"""Runs command lines and sees to it that nothing they started outlives the call.

    with Supervisor() as supervisor:
        result = supervisor.run(line, place, limits, stdout=out, stderr=err)

Programs start without a shell, in a session of their own, with /dev/null as their input and an
environment that is given in full. Both of their streams are read at once into the descriptors
given by the caller, up to a limit. When `run` returns, everything the line started is gone; it
ends early with the time-out, the output limit or an exception in the runtime, Ctrl-C included.
A failure of the work is a result, never an exception; a disk that takes no output is
`StorageFailed`.
"""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from custody.checks.guards.secrets import redactor_for
from custody.executors.streams import Captured, Stream
from custody.model.record import Record
from custody.model.request import Command, CommandLine
from custody.store.faults import failure

if TYPE_CHECKING:
    from custody.executors.channel import Done
    from custody.executors.keeper import Keeper

OUTPUT_LIMIT = 10 * 1024 * 1024
"""Bytes of one stream that are kept."""

EndedBy = Literal["", "timeout", "output_limit", "supervisor_lost"]


class Limits(NamedTuple):
    """How much a command line may take."""

    timeout: float
    """Seconds for the whole line."""
    output: int = OUTPUT_LIMIT
    """Bytes kept of each stream; a line that writes more is ended."""
    grace: float = 2.0
    """Seconds between asking to end and killing."""


class Place(NamedTuple):
    """Where a command line runs and what it sees."""

    workspace: str
    """Absolute path; a command's ``workdir`` is relative to it."""
    environment: Mapping[str, str]
    """All variables; see `custody.executors.environment`."""


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
        if self.ended_by or self.failure:
            return self.ended_by or self.failure
        if self.survivors:
            return "processes_left"
        return f"tool_exit_code_{self.exit_code}" if self.exit_code else ""


def shell_line(text: str) -> CommandLine:
    """Return the line that hands ``text`` to a shell, for what only a shell can do."""
    return CommandLine(text=text, commands=(Command(argv=("sh", "-c", text)),))


class Supervisor:
    """Runs one command line at a time; its keeper is forked with the first."""

    def __init__(self) -> None:
        self._keeper: Keeper | None = None
        self._redactor = redactor_for(os.environ)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the keeper and everything it has started."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.close()

    def run(
        self, line: CommandLine, place: Place, limits: Limits, *, stdout: int, stderr: int
    ) -> ProcessResult:
        """Run ``line``; both streams go to the descriptors given."""
        started = time.monotonic()
        keeper = self._ready_keeper()
        streams = (Stream(sink, limits.output, self._redactor) for sink in (stdout, stderr))
        watch = _Watch(keeper, *streams)
        try:
            keeper.start(line.commands, place.workspace, place.environment)
            done = watch.until_done(limits)
        except BaseException as error:
            watch.give_up(limits.grace)
            self.close()
            if isinstance(error, OSError):
                raise failure(error, f"output of {line.text!r}") from error
            raise
        if done is None or done.survivors:
            self.close()
        return watch.result(done, time.monotonic() - started)

    def _ready_keeper(self) -> Keeper:
        if self._keeper is None:
            from custody.executors.keeper import Keeper

            self._keeper = Keeper.fork()
        return self._keeper


class _Watch:
    """Follows one command line to its end."""

    def __init__(self, keeper: Keeper, stdout: Stream, stderr: Stream) -> None:
        self._keeper = keeper
        self._streams = {keeper.stdout: stdout, keeper.stderr: stderr}
        self._ended_by: EndedBy = ""
        self._poll = select.poll()
        for descriptor in (*self._streams, keeper.replies):
            self._poll.register(descriptor, select.POLLIN)

    def until_done(self, limits: Limits) -> Done | None:
        """Read both streams until everything has ended; None when the keeper is lost."""
        alarm = time.monotonic() + limits.timeout
        while not self._step(alarm - time.monotonic()):
            now = time.monotonic()
            if self._ended_by and now >= alarm:
                self._keeper.stop(kill=True)
                alarm = math.inf
            elif not self._ended_by and (reason := self._reason_to_end(now >= alarm)):
                self._ended_by = reason
                self._keeper.stop(kill=False)
                alarm = now + limits.grace
        done = self._keeper.done()
        self._drain()
        if done is None:
            self._ended_by = "supervisor_lost"
        return done

    def give_up(self, grace: float) -> None:
        """Ask everything to end and wait for it, as long as ``grace``."""
        self._keeper.stop(kill=False)
        for stream in self._streams.values():
            stream.discard()
        deadline = time.monotonic() + grace
        while (left := deadline - time.monotonic()) > 0 and not self._step(left):
            pass

    def result(self, done: Done | None, seconds: float) -> ProcessResult:
        """Return what is to be told of the line."""
        stdout, stderr = self._streams.values()
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
        )

    def _reason_to_end(self, late: bool) -> EndedBy:
        if late:
            return "timeout"
        return "output_limit" if any(s.truncated for s in self._streams.values()) else ""

    def _step(self, seconds: float) -> bool:
        """Take what is there, waiting at most so long; tell whether the keeper has spoken."""
        spoken = False
        timeout = None if seconds == math.inf else max(0, math.ceil(seconds * 1000))
        for descriptor, _ in self._poll.poll(timeout):
            if descriptor == self._keeper.replies:
                spoken = True
            else:
                self._streams[descriptor].take_from(descriptor)
        return spoken

    def _drain(self) -> None:
        for descriptor, stream in self._streams.items():
            while stream.take_from(descriptor):
                pass
            stream.finish()

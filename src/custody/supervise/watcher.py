"""The watcher of a session: keeps a resident program for as long as somebody needs it.

    python -m custody.supervise.watcher SESSION TOKEN

It is a process of its own beside the program, on the program's machine, and talks to the runtime
by the files of the session's folder alone (`custody.model.session`). So it outlives a runtime that
is killed, and the program with it; but not for long. With every beat it looks whether the lease was
renewed, whether the session is to close and whether a newer token was taken, and ends the program
when there is no use for it any more. How long ago something changed it tells by its own clock.

The program is started by a `Supervisor`, confined and without its secrets as the programs of a
stage are; whoever kills the watcher ends all of it, and nothing that it has started is left.
"""

from __future__ import annotations

import math
import os
import shlex
import signal
import sys
import time
from collections.abc import Mapping
from types import FrameType

from custody.errors import CustodyError
from custody.model import layout
from custody.model import session as names
from custody.model.record import decode, encode
from custody.model.request import Command, CommandLine
from custody.model.session import Beat, Ended, EndReason, SessionOrder
from custody.sandbox.confinement import Confinement, stage_confinement
from custody.sandbox.environment import base_environment, make_caches, session_environment
from custody.sandbox.toolchains import toolchains
from custody.store.arguments import hide_arguments
from custody.store.resolve import own
from custody.store.root import Root
from custody.store.wake import Wake
from custody.supervise.descendants import children, computed_below, process_state
from custody.supervise.supervisor import (
    Launch,
    Limits,
    Listener,
    ProcessResult,
    StreamName,
    Supervisor,
)

_ENDS: dict[str, EndReason] = {
    "output_limit": "output_limit",
    "limit_exceeded": "limit_exceeded",
    "supervisor_lost": "supervisor_lost",
}
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND


class _TimeToEnd(Exception):
    """The session is not needed any more."""

    def __init__(self, reason: EndReason) -> None:
        super().__init__(reason)
        self.reason = reason


class Watcher(Listener):
    """Watches over one program."""

    def __init__(self, session: Root, token: int) -> None:
        self._session = session
        self._token = token
        order = decode(session.read(f"{token}/{names.ORDER}"), SessionOrder, where=session.path)
        self._kind = order.kind
        self._source = order.source
        self._level = order.level
        self._beats = 0
        self._terminated = False
        self._lease = 0
        self._renewed = time.monotonic()

    def watch(self) -> None:
        """Start the program and stay with it to its end, which is written down."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._told_to_end)
        started = time.monotonic()
        try:
            self.beat(0.0)
            ended = _ended(self._run(), told_to=self._terminated)
        except _TimeToEnd as end:
            ended = Ended(reason=end.reason, seconds=round(time.monotonic() - started, 3))
        self._session.create(f"{self._token}/{names.ENDED}", encode(ended), parents=False)

    def heard(self, stream: StreamName, data: bytes) -> None:
        """Take no notice: output is on file already."""

    def beat(self, seconds: float) -> None:
        """Tell that the session lives; raises `_TimeToEnd` when it need not."""
        del seconds
        if reason := self._reason_to_end():
            raise _TimeToEnd(reason)
        self._beats += 1
        program = _program(self._level)
        process, cpu = process_state(program) if program else ("", 0.0)
        beat = Beat(
            beat=self._beats,
            watcher=os.getpid(),
            program=program,
            process=process,
            cpu=round(cpu + computed_below(program), 2) if program else 0.0,
            heartbeat=self._heartbeat(),
            host=os.uname().nodename,
        )
        try:
            self._session.write(f"{self._token}/{names.BEAT}", encode(beat), parents=False)
        except CustodyError:  # a newer one may have tidied up what was half written
            if reason := self._reason_to_end():
                raise _TimeToEnd(reason) from None
            raise

    def _reason_to_end(self) -> EndReason | None:
        if self._terminated:
            return "terminated"
        if any(int(name) > self._token for name in self._session.names() if name.isdecimal()):
            return "fenced"
        if names.CLOSE in self._session.names(str(self._token)):
            return "closed"
        if (renewed := self._last_renewal()) != self._lease:
            self._lease, self._renewed = renewed, time.monotonic()
        left = self._renewed + self._kind.lease - time.monotonic()
        return "lease_expired" if left < 0 else None

    def _last_renewal(self) -> int:
        """Return when the lease was touched; opened first, since attributes may be remembered."""
        lease = self._session.open_fd(f"{self._token}/{names.LEASE}", os.O_RDONLY)
        try:
            return os.fstat(lease).st_mtime_ns
        finally:
            os.close(lease)

    def _heartbeat(self) -> int:
        """Return when the program has touched its own heartbeat; 0 for one that has none."""
        place = f"{self._token}/{names.BOX}/{names.STATE}/{names.HEARTBEAT}"
        try:
            return self._session.stat(place).st_mtime_ns
        except CustodyError:
            return 0  # it is the program's: there, or away, or anything else

    def _run(self) -> ProcessResult:
        kind = self._kind
        command = Command(argv=kind.argv, workdir=kind.folder)
        line = CommandLine(text=shlex.join(kind.argv), commands=(command,))
        limits = Limits(timeout=math.inf, output=kind.output, grace=kind.grace, heartbeat=kind.beat)
        stdout = self._session.open_fd(f"{self._token}/{names.STDOUT}", _APPEND)
        stderr = self._session.open_fd(f"{self._token}/{names.STDERR}", _APPEND)
        wake = Wake(self._session, f"{self._token}/{names.BOX}/{names.WAKE}")
        with wake.kept() as there, Supervisor() as supervisor:
            launch = self._launch(wake=there)
            return supervisor.run(line, launch, limits, stdout=stdout, stderr=stderr, listener=self)

    def _launch(self, *, wake: bool) -> Launch:
        """Return where the program runs and what it sees: its box, and nothing else of the run."""
        kind = self._kind
        folder = f"{self._session.path}/{self._token}"
        box, cache = f"{folder}/{names.BOX}", f"{folder}/{names.CACHE}"
        make_caches(cache)
        base = base_environment(os.environ)
        environment = session_environment(
            base, session_dir=box, session=kind.name, token=self._token, cache_dir=cache
        )
        if wake:
            environment["CUSTODY_SESSION_WAKE"] = f"{box}/{names.WAKE}"
        confinement = self._confinement(box, cache, self._programs(base))
        if confinement.home:
            environment["HOME"] = confinement.home
        passed = {name: os.environ[name] for name in kind.passed if name in os.environ}
        return Launch(box, {**environment, **passed, **kind.variables}, confinement)

    def _programs(self, base: Mapping[str, str]) -> tuple[str, ...]:
        run = self._session.path.removesuffix(f"/{layout.session_folder(self._kind.name)}")
        runs = os.path.dirname(run)
        return toolchains(base, self._kind.argv[:1], source=self._source, runs=runs)

    def _confinement(self, box: str, cache: str, programs: tuple[str, ...]) -> Confinement:
        return stage_confinement(
            self._level,
            workspace=box,
            cache=cache,
            layers=None,
            network=self._kind.network,
            reach=self._kind.reach,
            changeable=names.WRITABLE,
            readable=(*programs, *self._kind.readable),
            writable=self._kind.writable,
            sealed=self._kind.sealed,
            limits=self._kind.limits,
        )

    def _told_to_end(self, _number: int, _frame: FrameType | None) -> None:
        self._terminated = True


def _program(level: str) -> int:
    """Return the process of the program that the supervisor has started; 0 for none.

    Between it and the watcher stand a reaper, a server and, at L3, the first process of the
    sandbox, each with the next as its first child.
    """
    process = os.getpid()
    for _ in range(4 if level == "L3" else 3):
        below = children(process)
        if not below:
            return 0
        process = below[0]
    return process


def _ended(result: ProcessResult, *, told_to: bool) -> Ended:
    """Return how it ended; a program may have heard of it before the watcher has ended it."""
    reason: EndReason = "terminated" if told_to and result.signal == signal.SIGTERM else "exited"
    if result.failure:
        reason = "not_started"
    elif result.ended_by in _ENDS:
        reason = _ENDS[result.ended_by]
    return Ended(
        reason=reason,
        exit_code=result.exit_code,
        signal=result.signal,
        failure=result.failure or result.exceeded,
        seconds=result.seconds,
    )


def main(folder: str, token: str) -> None:
    """Watch over the session of ``token`` in a folder, and end with it."""
    os.chdir("/")
    hide_arguments()
    with Root.open(folder, resolver=own) as session:
        Watcher(session, int(token)).watch()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""How a server starts one command: found on PATH, in its directory, under its confinement."""

from __future__ import annotations

import _thread
import os
import signal
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from custody.model.request import Command
from custody.sandbox import apply
from custody.sandbox.askers import Askers
from custody.sandbox.confinement import Confinement
from custody.sandbox.environment import command_environment, find_program
from custody.sandbox.landlock import make_domain, restrict
from custody.supervise import command_list
from custody.supervise.command_list import End
from custody.supervise.feed import NOTHING
from custody.supervise.protocol import Start

IGNORED = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGPIPE,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGXFSZ,
)
"""Signals that a server ignores; a program must not inherit that."""

_INPUT = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_DIRECTORY_ONLY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class CannotStart(Exception):
    """A command was not started; carries the end that stands for it."""

    def __init__(self, exit_code: int, failure: str) -> None:
        super().__init__(failure)
        self.end = End(exit_code, failure=failure)


class Program(NamedTuple):
    """A command, ready to be started in the current directory."""

    file: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    streams: tuple[int, int, int]


class Spawner:
    """Starts commands; remembers what it has prepared for the last confinement."""

    def __init__(self, askers: Askers, *, alone: bool) -> None:
        """Put what is not confined into a domain of its own if it stands ``alone``."""
        self._domain = make_domain() if alone else None
        self._prepared: tuple[Confinement, tuple[int, int]] | None = None
        self._used: apply.Groundwork | None = None
        """With the rules of the last confinement."""
        self._groundwork: apply.Groundwork | None = None
        """For the next one."""
        self._askers = askers

    def spawn(self, command: Command, start: Start, streams: tuple[int, int, int]) -> int:
        """Start a command and return its process; raises `CannotStart`."""
        name = command.argv[0] if command.argv else ""
        try:
            program = _find(command, start, streams)
            if start.confinement is not None:
                return self._start_confined(program, start.confinement)
            if self._domain is None:
                return _start(program)
            return _start_restricted(program, partial(restrict, self._domain))
        except FileNotFoundError:
            raise CannotStart(command_list.EXIT_NOT_FOUND, f"tool_not_found: {name}") from None
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise CannotStart(
                command_list.EXIT_CANNOT_START, f"tool_not_started: {name}: {why}"
            ) from None
        except apply.CannotConfine as error:
            raise not_confined(error) from None

    def _start_confined(self, program: Program, confinement: Confinement) -> int:
        ruleset = self._ruleset_for(confinement)
        return _start_restricted(program, partial(self._restrict, confinement, ruleset))

    def _restrict(self, confinement: Confinement, ruleset: int) -> None:
        asker = apply.restrict(confinement, ruleset)
        if asker >= 0:
            self._askers.add(asker)

    def _ruleset_for(self, confinement: Confinement) -> int:
        # A rule is about a folder, not about its name: one that was made anew needs another.
        folder = os.stat(confinement.workspace)
        wanted = confinement, (folder.st_dev, folder.st_ino)
        if self._used is None or wanted != self._prepared or not self._used.reached.holds():
            groundwork = self._take_groundwork(confinement)
            groundwork = groundwork or apply.lay_groundwork(confinement.base)
            apply.prepare(confinement, groundwork)
            if self._used is not None:
                os.close(self._used.ruleset)
            self._prepared, self._used = wanted, groundwork
        return self._used.ruleset

    def lay_groundwork(self, base: Confinement) -> None:
        """Do for the next confinement what can be done before it is known, unless it is done."""
        if self._groundwork is None:
            try:
                self._groundwork = apply.lay_groundwork(base)
            except apply.CannotConfine:
                return  # the next line tries again and tells why

    def _take_groundwork(self, confinement: Confinement) -> apply.Groundwork | None:
        found, self._groundwork = self._groundwork, None
        if found is None or found.suits(confinement):
            return found
        os.close(found.ruleset)
        return None


def open_input(start: Start) -> int:
    """Open the file that a chain reads as its input; `NOTHING` for none."""
    if not start.stdin:
        return NOTHING
    try:
        return os.open(start.stdin, _INPUT)
    except OSError as error:
        failure = f"input_missing: {error.strerror}"
        raise CannotStart(command_list.EXIT_CANNOT_START, failure) from None


def not_confined(error: apply.CannotConfine) -> CannotStart:
    """Return the end of what is not started for lack of its confinement."""
    return CannotStart(command_list.EXIT_CANNOT_START, f"confinement_failed: {error}")


def _find(command: Command, start: Start, streams: tuple[int, int, int]) -> Program:
    name = command.argv[0] if command.argv else ""
    directory = f"{start.workspace}/{command.workdir}".rstrip("/")
    _enter(start.workspace, command.workdir)
    file = find_program(name, start.environment.get("PATH", ""), start.workspace, start.tools)
    if not file:
        raise CannotStart(command_list.EXIT_NOT_FOUND, f"tool_not_found: {name}")
    environment = command_environment(start.environment, command.environment, directory)
    if any("\0" in text for text in (*command.argv, *environment, *environment.values())):
        raise ValueError("embedded null byte")  # each release of Python says it in other words
    return Program(file, command.argv, environment, streams)


def _start(program: Program) -> int:
    return os.posix_spawn(
        program.file,
        program.arguments,
        program.environment,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, stream, to) for to, stream in enumerate(program.streams)
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=IGNORED,
    )


def _start_restricted(program: Program, restrict: Callable[[], None]) -> int:
    started: list[int | Exception] = []
    ended = _thread.allocate_lock()
    ended.acquire()
    _thread.start_new_thread(_start_from_here, (program, restrict, started, ended))
    ended.acquire()
    if isinstance(started[0], Exception):
        raise started[0]
    return started[0]


def _start_from_here(
    program: Program,
    restrict: Callable[[], None],
    started: list[int | Exception],
    ended: _thread.LockType,
) -> None:
    """Start a program from a thread that gives up its rights first, and then ends.

    Landlock, seccomp, capabilities and the user are those of the thread; a child inherits them
    and the server keeps its own. A thread costs a third of a fork.
    """
    try:
        restrict()
        started.append(_start(program))
    except Exception as error:  # noqa: BLE001 - raised again where the program was asked for
        started.append(error)
    finally:
        ended.release()


def _enter(workspace: str, workdir: str) -> None:
    """Make a directory of the workspace the current one, without following a link."""
    opened: list[int] = []
    try:
        opened.append(os.open(workspace, _DIRECTORY_ONLY))
        for part in filter(None, workdir.split("/")):
            opened.append(os.open(part, _DIRECTORY_ONLY, dir_fd=opened[-1]))
        os.fchdir(opened[-1])
    except (OSError, ValueError):
        where = workdir or workspace
        raise CannotStart(command_list.EXIT_CANNOT_START, f"workdir_missing: {where}") from None
    finally:
        for descriptor in opened:
            os.close(descriptor)

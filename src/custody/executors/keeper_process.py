"""The process that stands between the runtime and the programs it starts.

A keeper is forked once and then starts one command line at a time. It is a child subreaper, so
everything a line starts stays its descendant, after a double fork and in a session of its own
too; and nothing else is. What is left when a line has ended can therefore be ended without
asking what it is, and no process of anybody else is ever touched: signals go to children of the
keeper alone, whose numbers cannot be given away before the keeper has waited for them.

When the runtime is gone, however it ended, its end of the pipe is closed; the keeper then kills
what runs and ends. So nothing writes into a workspace that a resumed run has taken over.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import os
import resource
import select
import signal
import time
from typing import NoReturn

from custody.executors import chain
from custody.executors.chain import End
from custody.executors.channel import Channel, Done, Start, Stop
from custody.executors.environment import command_environment, find_program
from custody.executors.landlock import enter_domain
from custody.model.request import Command

PATIENCE = 5.0
"""Seconds after which a process that survives SIGKILL is given up."""

_RESET = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGPIPE,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGXFSZ,
)
"""Signals that a keeper ignores; a program must not inherit that."""
_SET_CHILD_SUBREAPER = 36
_INPUT = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY_ONLY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

# Looked up before the fork: afterwards the loader's lock may be held by a thread that is gone.
_prctl = ctypes.CDLL(None, use_errno=True).prctl


class CannotStart(Exception):
    """A command was not started; carries the end that stands for it."""

    def __init__(self, exit_code: int, failure: str) -> None:
        super().__init__(failure)
        self.end = End(exit_code, failure=failure)


def keep(control: int, replies: int, stdout: int, stderr: int) -> NoReturn:
    """Be a keeper in a process just forked, with all signals blocked; never returns."""
    try:
        kept = _let_go_of_everything_but(control, replies, stdout, stderr)
        keeping = _Keeping(Channel(kept[0], kept[1]), kept[2], kept[3])
        try:
            keeping.serve()
        finally:
            keeping.kill_the_rest()
    finally:
        os._exit(0)


class _Keeping:
    """What a keeper does."""

    def __init__(self, channel: Channel, stdout: int, stderr: int) -> None:
        self._channel = channel
        self._stdout = stdout
        self._stderr = stderr
        self._ended: dict[int, End] = {}
        self._stopping = False
        self._child_exits = _wake_on_child_exit()
        self._poll = select.poll()
        self._poll.register(channel.incoming, select.POLLIN)
        self._poll.register(self._child_exits, select.POLLIN)

    def serve(self) -> None:
        """Run chains until the runtime is gone."""
        while (message := self._channel.receive()) is not None:
            if isinstance(message, Start):
                self._channel.send(self._run(message))

    def _run(self, start: Start) -> Done:
        self._stopping = False
        self._ended.clear()
        end = End(0)
        for pipe in chain.pipes(start.commands):
            if not self._stopping and pipe.follows(end):
                end = self._run_pipe(pipe.commands, start)
        return Done(end, *self.kill_the_rest())

    def _run_pipe(self, commands: tuple[Command, ...], start: Start) -> End:
        running: list[int | End] = []
        try:
            source = os.open(start.stdin or os.devnull, _INPUT)
        except OSError as error:
            return End(chain.EXIT_CANNOT_START, failure=f"input_missing: {error.strerror}")
        for command in commands[:-1]:
            following, sink = os.pipe()
            running.append(self._try(command, start, source, sink))
            os.close(source)
            os.close(sink)
            source = following
        running.append(self._try(commands[-1], start, source, self._stdout))
        os.close(source)
        while any(isinstance(item, int) and item not in self._ended for item in running):
            self._wait(None)
        return chain.end_of_pipe(
            [self._ended[item] if isinstance(item, int) else item for item in running]
        )

    def _try(self, command: Command, start: Start, stdin: int, stdout: int) -> int | End:
        """Start a command; return its process, or the end of one that cannot be started."""
        # Programs share these pipes, and one before may have left them non-blocking.
        os.set_blocking(stdout, True)
        os.set_blocking(self._stderr, True)
        try:
            child = _spawn(command, start, (stdin, stdout, self._stderr))
        except CannotStart as error:
            return error.end
        self._ended.pop(child, None)  # a number may come back while a line runs
        return child

    def _wait(self, seconds: float | None) -> None:
        """Wait until a child has ended or the runtime has said something, and take note."""
        for descriptor, _ in self._poll.poll(None if seconds is None else seconds * 1000):
            if descriptor == self._child_exits:
                os.read(descriptor, 4096)
            else:
                self._obey()
        self._reap()

    def _obey(self) -> None:
        message = self._channel.receive()
        if message is None:
            self.kill_the_rest()
            os._exit(0)
        self._stopping = True
        for child in children(os.getpid()):
            _signal(child, kill=isinstance(message, Stop) and message.kill)

    def _reap(self) -> bool:
        """Take note of every child that has ended; tell whether any is left."""
        try:
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                self._ended[found[0]] = chain.end_of(os.waitstatus_to_exitcode(found[1]))
        except ChildProcessError:
            return False
        return True

    def kill_the_rest(self) -> tuple[int, int]:
        """Kill every descendant; return how many there were, and how many are still there.

        The children of a killed process become children of the keeper, so the last is reached
        in as many rounds as there are generations.
        """
        if not self._reap():
            return 0, 0
        seen: set[int] = set()
        deadline = time.monotonic() + PATIENCE
        self._poll.unregister(self._channel.incoming)
        try:
            while self._reap():
                left = children(os.getpid())
                if time.monotonic() > deadline:
                    return len(seen), len(left)
                seen.update(left)
                for child in left:
                    _signal(child, kill=True)
                self._wait(0.05)
            return len(seen), 0
        finally:
            self._poll.register(self._channel.incoming, select.POLLIN)


def _spawn(command: Command, start: Start, streams: tuple[int, int, int]) -> int:
    name = command.argv[0] if command.argv else ""
    directory = f"{start.workspace}/{command.workdir}".rstrip("/")
    try:
        _enter(start.workspace, command.workdir)
        program = find_program(name, start.environment.get("PATH", ""), start.workspace)
        if not program:
            raise CannotStart(chain.EXIT_NOT_FOUND, f"tool_not_found: {name}")
        return os.posix_spawn(
            program,
            command.argv,
            command_environment(start.environment, command.environment, directory),
            file_actions=[(os.POSIX_SPAWN_DUP2, stream, to) for to, stream in enumerate(streams)],
            setsid=True,
            setsigmask=(),
            setsigdef=_RESET,
        )
    except FileNotFoundError:
        raise CannotStart(chain.EXIT_NOT_FOUND, f"tool_not_found: {name}") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise CannotStart(chain.EXIT_CANNOT_START, f"tool_not_started: {name}: {why}") from None


def _enter(workspace: str, workdir: str) -> None:
    """Make a directory of the workspace the current one, without following a link."""
    try:
        here = os.open(workspace, _DIRECTORY_ONLY)
        for part in filter(None, workdir.split("/")):
            above, here = here, os.open(part, _DIRECTORY_ONLY, dir_fd=here)
            os.close(above)
        os.fchdir(here)
        os.close(here)
    except (OSError, ValueError):
        where = workdir or workspace
        raise CannotStart(chain.EXIT_CANNOT_START, f"workdir_missing: {where}") from None


def _wake_on_child_exit() -> int:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    return reader


def children(process: int) -> list[int]:
    """Return the children of a process with one thread, those that have ended included."""
    try:
        listed = _read(f"/proc/{process}/task/{process}/children")
    except FileNotFoundError:
        return children_by_search(process)
    return [int(pid) for pid in listed.split()]


def children_by_search(process: int) -> list[int]:
    """Do the same by looking at every process, for kernels that keep no list."""
    everybody = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [other for other in everybody if _parent(other) == process]


def _parent(process: int) -> int:
    try:
        # The name of the program stands in brackets and may hold anything.
        return int(_read(f"/proc/{process}/stat").rpartition(b")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0  # it has ended meanwhile


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = b""
        while part := os.read(file, 65536):
            data += part
        return data
    finally:
        os.close(file)


def _signal(child: int, *, kill: bool) -> None:
    """End a child and its group.

    With SIGKILL the group is read after the signal: a process about to die changes its group
    no more. With SIGTERM only a group that the child leads is reached. Either way the number
    of the group belongs to nobody else until the child has been waited for.
    """
    try:
        if kill:
            os.kill(child, signal.SIGKILL)
            os.killpg(os.getpgid(child), signal.SIGKILL)
        elif os.getpgid(child) == child:
            os.killpg(child, signal.SIGTERM)
        else:
            os.kill(child, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return  # it has ended, or runs as another user now and will be told as a survivor


def _let_go_of_everything_but(*descriptors: int) -> list[int]:
    """Become a process of its own; return the descriptors that stay, under new numbers."""
    gc.disable()  # what the runtime holds is not this process's to finalise
    for number in _RESET:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.setsid()
    kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3) for descriptor in descriptors]
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            _close(int(name))
    for _ in range(3):
        os.open(os.devnull, os.O_RDWR)
    if _prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot become a child subreaper")
    enter_domain()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a dump would be a change of the workspace
    os.umask(0o022)
    os.chdir("/")
    return kept


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        return  # the one that the listing was read with

"""Work on many files, spread over the processors by forked processes.

Threads would take turns: most of the time of a small file is spent between its system calls,
where Python lets only one of them go on. The processes share what was in memory when they were
forked; they are told nothing but the number of the next piece of work, and answer in bytes.

No process decides anything. One that fails, or is killed, leaves its pieces to this process,
which clears away what may be left of them and does them itself: so errors are raised here, and
are the same as without any help.
"""

from __future__ import annotations

import gc
import os
import signal
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

import msgspec

from custody.store import files, syscalls

MOST = 4
"""Processes at most: beyond, they wait for the file system and not for a processor."""
FEW = 256
"""Up to so many files are done before another process would have begun."""
_PIECE = 64
_NUMBER = struct.Struct("=I")
_PIPE = 1 << 16
PIECES = _PIPE // _NUMBER.size
"""Pieces of work at most: all their numbers lie in one pipe."""

_Answers = msgspec.msgpack.Decoder(list[tuple[int, bytes]])


class Piecework(Protocol):
    """What is to be done, in pieces that do not depend on each other."""

    @property
    def count(self) -> int:
        """How many pieces there are; at most `PIECES`."""

    def do(self, number: int) -> bytes:
        """Do one piece, and return what came of it."""

    def undo(self, number: int) -> None:
        """Remove what a process may have left of a piece, so that it can be done again."""


class Workers:
    """Processes at work on pieces; made by `at_work`."""

    def __init__(self, work: Piecework, processes: int) -> None:
        self._work = work
        self._answers: dict[int, int] = {}
        """Where each process answers, by its pid."""
        self._tasks = -1
        if processes > 1:
            self._begin(processes)

    def results(self) -> list[bytes]:
        """Wait until everything is done; return what came of each piece, in order.

        Raises what `Piecework.do` raises.
        """
        helped = bool(self._answers)
        found = self._collect()
        return [
            found[number] if number in found else self._do(number, again=helped)
            for number in range(self._work.count)
        ]

    def close(self) -> None:
        """End the processes that are still there."""
        while self._answers:
            pid, answers = self._answers.popitem()
            os.close(answers)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            _wait_for(pid)
        if self._tasks >= 0:
            os.close(self._tasks)
            self._tasks = -1

    def _do(self, number: int, *, again: bool) -> bytes:
        if again:
            self._work.undo(number)
        return self._work.do(number)

    def _begin(self, processes: int) -> None:
        try:
            syscalls.load()
            self._tasks, sink = os.pipe()
            try:
                files.write_all(sink, b"".join(map(_NUMBER.pack, range(self._work.count))))
            finally:
                os.close(sink)
            for _ in range(min(processes, self._work.count)):
                self._fork()
        except (ImportError, OSError):
            return  # no memory or no descriptors for another process: fewer will do, or none

    def _fork(self) -> None:
        source, sink = os.pipe()
        parent = os.getpid()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            pid = os.fork()
            if pid == 0:
                _be_worker(self._work, parent, self._tasks, sink)
        except BaseException:
            os.close(source)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            os.close(sink)
        self._answers[pid] = source

    def _collect(self) -> dict[int, bytes]:
        found: dict[int, bytes] = {}
        while self._answers:
            pid, answers = next(iter(self._answers.items()))
            with open(answers, "rb", closefd=False) as pipe:
                found.update(_read(pipe.read()))
            del self._answers[pid]
            os.close(answers)
            _wait_for(pid)
        return found


@contextmanager
def at_work(work: Piecework, processes: int) -> Iterator[Workers]:
    """Begin the work in other processes, if there are to be more than one.

    Until `Workers.results` is asked for, this process is free for something else.
    """
    workers = Workers(work, processes)
    try:
        yield workers
    finally:
        workers.close()


def processes(files: int) -> int:
    """Return how many processes should work on so many files; one when this one must not fork.

    Another thread may hold a lock at the moment of the fork, and nobody would ever release it
    in the child.
    """
    if files <= FEW or not _is_alone():
        return 1
    return min(MOST, len(os.sched_getaffinity(0)))


def _is_alone() -> bool:
    """Whether this thread is the only one; nobody can tell where /proc is absent."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except FileNotFoundError:
        return False


def piece_size(files: int) -> int:
    """Return how many files to do at once, so that there are not too many pieces."""
    return max(_PIECE, files * 2 // PIECES)


def _be_worker(work: Piecework, parent: int, tasks: int, sink: int) -> None:
    """Do pieces until there are no more, tell what came of them, and end."""
    try:
        syscalls.die_with_parent()
        for number in (signal.SIGINT, signal.SIGTERM):  # who ends a run is its own process
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if os.getppid() == parent:
            gc.disable()
            files.write_all(sink, msgspec.msgpack.encode(_done(work, tasks)))
    finally:
        os._exit(0)


def _done(work: Piecework, tasks: int) -> list[tuple[int, bytes]]:
    done: list[tuple[int, bytes]] = []
    while head := os.read(tasks, _NUMBER.size):
        (number,) = _NUMBER.unpack(head)
        try:
            done.append((number, work.do(number)))
        except Exception:  # noqa: BLE001 - the parent does it again, and raises it
            break
    return done


def _read(told: bytes) -> list[tuple[int, bytes]]:
    """Return what a process told; nothing when it ended before it had told everything."""
    try:
        return _Answers.decode(told)
    except msgspec.DecodeError:
        return []


def _wait_for(pid: int) -> None:
    with suppress(ChildProcessError):  # the host program has waited for it
        os.waitpid(pid, 0)

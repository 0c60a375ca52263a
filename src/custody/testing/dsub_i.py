"""A stand-in for ``dsub-i``, the launcher of a farm, for tests and for trying things out.

    python -m custody.testing.dsub_i [OPTION...] COMMAND...

waits its turn in a queue, starts the command as a job that is no child of its own, as on another
machine, and stays until the job ends. It does what was seen of farms, when it is told to:

    -q QUEUE           name another queue
    --wait SECONDS     wait so long in the queue
    --full             wait there for ever
    --refuse TEXT      take no job
    --says CODE        end with this exit status, whatever has become of the job
    --forgets SECONDS  say after so long that the job has ended, which lives on
    --dies SECONDS     lose the job's machine after so long, and the job with it

SIGTERM takes the job back, out of the queue too; SIGUSR1 lets it forget the job, and SIGUSR2 lose
the machine. Whoever kills it with SIGKILL leaves the job where it is. It is used through custody's
own configuration:

    [skills.launchers."dsub-i"]
    command = ["python3", "-m", "custody.testing.dsub_i", "--wait", "2"]
"""

from __future__ import annotations

import argparse
import math
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import NamedTuple, NoReturn

TAKEN_BACK = 130
REFUSED = 255
NOT_FOUND = 127
_LONGEST = 3600.0


class _TakenBackError(Exception):
    """Somebody wants the launcher to end, and the job with it."""


class _ForgottenError(Exception):
    """The launcher loses sight of the job."""


class _LostError(Exception):
    """The job's machine is gone."""


class Job(NamedTuple):
    """A job on its machine, as the launcher knows it."""

    process: int
    """The command's process, which leads a group of its own; 0 where it could not be started."""
    ended: int
    """Readable when the job has ended: a byte with its exit status."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do as the arguments say; return the exit status."""
    options = _parser().parse_args(arguments)
    number = os.getpid()
    for heard in _ERRORS:
        signal.signal(heard, _hear)
    if options.refuse:
        _say(f"dsub-i: {options.refuse}. Job not submitted.")
        return REFUSED if options.says is None else int(options.says)
    _say(f"Job <{number}> is submitted to queue <{options.queue}>.")
    try:
        _say("<<Waiting for dispatch ...>>")
        _wait(math.inf if options.full else options.wait)
        _say(f"<<Starting on {socket.gethostname()}>>")
        code = _stay_with(_dispatch(options.command), options.forgets, options.dies)
    except _TakenBackError:
        _say(f"Job <{number}> is being terminated")
        code = TAKEN_BACK
    except (_ForgottenError, _LostError):
        code = 0
    return code if options.says is None else int(options.says)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dsub-i")
    parser.add_argument("-q", dest="queue", default="normal", metavar="QUEUE")
    parser.add_argument("--wait", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--refuse", default="", metavar="TEXT")
    parser.add_argument("--says", type=int, metavar="CODE")
    parser.add_argument("--forgets", type=float, default=math.inf, metavar="SECONDS")
    parser.add_argument("--dies", type=float, default=math.inf, metavar="SECONDS")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser


def _dispatch(command: Sequence[str]) -> Job:
    """Start the job below a process that is nobody's child, as the farm's own on its machine."""
    ended, told = os.pipe()
    started, tell = os.pipe()
    between = os.fork()
    if not between:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.close(ended)
        _be_the_machine(command, told, tell)
    os.waitpid(between, 0)
    os.close(told)
    os.close(tell)
    job = Job(int(os.read(started, 32)), ended)
    os.close(started)
    return job


def _be_the_machine(command: Sequence[str], told: int, tell: int) -> NoReturn:
    """Start the command, say which process it is, and how it ends."""
    for number in _ERRORS:
        signal.signal(number, signal.SIG_DFL)
    try:
        job = os.posix_spawnp(command[0], [*command], os.environ, setsid=True)
    except OSError:
        job = 0
    os.write(tell, str(job).encode())
    os.close(tell)
    code = os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]) if job else NOT_FOUND
    with suppress(BrokenPipeError):
        os.write(told, bytes([code % 256 if code >= 0 else 128 - code]))
    os._exit(0)


def _stay_with(job: Job, forgets: float, dies: float) -> int:
    """Wait for the end of a job, or for what else is to happen; return what is said of it."""
    try:
        if select.select([job.ended], [], [], min(forgets, dies, _LONGEST))[0]:
            return (os.read(job.ended, 1) or b"\0")[0]
        raise _LostError if dies <= forgets else _ForgottenError
    except _TakenBackError:
        _signal(job, signal.SIGTERM)
        select.select([job.ended], [], [], _LONGEST)
        raise
    except _LostError:
        _signal(job, signal.SIGKILL)
        raise


def _signal(job: Job, number: signal.Signals) -> None:
    if job.process:
        with suppress(ProcessLookupError):
            os.killpg(job.process, number)


def _wait(seconds: float) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, _LONGEST))


_ERRORS: dict[int, type[Exception]] = {
    signal.SIGTERM: _TakenBackError,
    signal.SIGINT: _TakenBackError,
    signal.SIGUSR1: _ForgottenError,
    signal.SIGUSR2: _LostError,
}


def _hear(number: int, _frame: FrameType | None) -> None:
    raise _ERRORS[number]


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

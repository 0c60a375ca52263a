"""Ends a small run at every point, or lets the power fail. Run by test_crash.py.

``points MODE FOLDER AT`` ends it at each call that changes the disk, in one way. With ``AT``
the run is killed there first, and it is resuming it that is ended at each call:

    kill-before   the process dies instead of making the call
    kill-after    the process dies right after it
    ENOSPC, EIO   the call fails; a write has written half

``power FOLDER STATES SEED`` makes so many disks that a power failure could have left.
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from typing import Any

from custody.errors import StorageFailed
from custody.store import syscalls
from support.power import Recorder, survive
from support.small_run import CALLS, SYSTEM_CALLS, Heard, begin, creates, judge, take_up


def points(mode: str, folder: str, at: int) -> dict[str, Any]:
    """End the run, or its resumption, at every point; return how many and what was wrong."""
    prepared, known = f"{folder}/prepared", 0
    if at:
        os.mkdir(prepared)
        _, known = attempt("kill-before", at, prepared, resume=False)
    wrong: list[str] = []
    number = 0
    while True:
        number += 1
        place = f"{folder}/{mode}{number}"
        if at:
            shutil.copytree(prepared, place)
        else:
            os.mkdir(place)
        status, durable = attempt(mode, number, place, resume=at > 0)
        if status == 0:
            return {"points": number - 1, "wrong": wrong}
        problem = "" if status in (signal.SIGKILL, 7 << 8) else f"it ended with {status}"
        if problem := problem or judge(place, max(known, durable), views_whole=True):
            wrong.append(f"point {number}: {problem}")
        shutil.rmtree(place)


def attempt(mode: str, number: int, place: str, *, resume: bool) -> tuple[int, int]:
    """Let a child run into one point; return how it ended and how many lines were durable."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        os._exit(in_child(mode, number, place, sink, take_up if resume else begin))
    os.close(sink)
    with os.fdopen(source) as pipe:
        told = pipe.read().split()
    return os.waitpid(child, 0)[1], int(told[-1]) if told else 0


def in_child(
    mode: str, number: int, folder: str, sink: int, work: Callable[[str, Heard], None]
) -> int:
    """Return 0 when the work ended before the point was reached, 7 when it failed as it should."""
    write = os.write
    reached = arm(mode, number)

    def tell(count: int) -> None:
        write(sink, b"%d " % count)

    try:
        work(folder, tell)
    except StorageFailed:
        return 7
    except BaseException as error:  # noqa: BLE001
        sys.stderr.write(f"{mode} {number}: {error!r}\n")
        return 1
    return 7 if reached() else 0


def arm(mode: str, number: int) -> Callable[[], bool]:
    """Let the call with that number, of those that change the disk, go wrong."""
    left = number

    def wrap(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **named: Any) -> Any:
            nonlocal left
            if name == "open" and not creates(args[1]):
                return call(*args, **named)
            left -= 1
            if left != 0:
                return call(*args, **named)
            if mode == "kill-after":
                call(*args, **named)
            if mode.startswith("kill"):
                os.kill(os.getpid(), signal.SIGKILL)
            if name == "write":
                call(args[0], bytes(args[1])[: len(args[1]) // 2])
            raise OSError(getattr(errno, mode), "injected")

        return wrapped

    for name in CALLS:
        setattr(os, name, wrap(name, getattr(os, name)))
    for name in SYSTEM_CALLS:
        setattr(syscalls, name, wrap(name, getattr(syscalls, name)))
    return lambda: left <= 0


def power(folder: str, states: int, seed: int) -> dict[str, Any]:
    """Let the power fail ``states`` times; return how many differed and what was wrong."""
    place = f"{folder}/recorded"
    os.mkdir(place)
    recorder = Recorder(place)
    try:
        begin(place, lambda count: recorder.log.append(("heard", count)))
    finally:
        recorder.stop()
    chance = random.Random(seed)
    wrong: list[str] = []
    for number in range(states):
        end = chance.randrange(len(recorder.log) + 1)
        left = f"{folder}/state{number}"
        survive(recorder.log[:end], recorder.top, chance, left)
        durable = max((op[1] for op in recorder.log[:end] if op[0] == "heard"), default=0)
        if problem := judge(left, durable, views_whole=False):
            wrong.append(f"after {end} of {len(recorder.log)} calls, state {number}: {problem}")
        shutil.rmtree(left)
    return {"calls": len(recorder.log), "states": states, "wrong": wrong}


if __name__ == "__main__":
    if sys.argv[1] == "points":
        found = points(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        found = power(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    json.dump(found, sys.stdout)

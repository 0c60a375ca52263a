"""Ends a small run at some point, or lets the power fail. Run by test_crash.py.

``count FOLDER AT`` tells how many calls of it change the disk. ``points FOLDER AT MODE NUMBER…``
ends it at each of those, in one way. With ``AT`` the run is killed there first, and it is resuming
it that is ended:

    kill-before   the process dies instead of making the call
    kill-after    the process dies right after it
    ENOSPC, EIO   the call fails; a write has written half

``power FOLDER CONTENTS SEED STATE…`` makes disks that a power failure could have left, one for each
number, of a run that has so many contents of another one.
Each prints what was wrong, by the number of the point or the state.
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
from support.forking import fork
from support.power import Recorder, survive
from support.small_run import (
    CALLS,
    FEW,
    SYSTEM_CALLS,
    Heard,
    begin,
    creates,
    judge,
    prepare,
    take_up,
)


def count(folder: str, at: int) -> int:
    """Return at how many points the run, or its resumption, can be ended."""
    place = f"{folder}/counted"
    make_place(place, at)
    _, told = attempt("count", 0, place, resume=at > 0)
    return told


def points(folder: str, at: int, mode: str, numbers: list[int]) -> dict[int, str]:
    """End the run, or its resumption, at some points; return what was wrong at which."""
    prepared = f"{folder}/prepared"
    known = make_place(prepared, at)
    wrong: dict[int, str] = {}
    for number in numbers:
        place = f"{folder}/{mode}{number}"
        shutil.copytree(prepared, place)
        status, durable = attempt(mode, number, place, resume=at > 0)
        problem = "" if status in (signal.SIGKILL, 7 << 8) else f"it ended with {status}"
        if problem := problem or judge(place, max(known, durable), views_whole=True):
            wrong[number] = problem
        shutil.rmtree(place)
    return wrong


def make_place(place: str, at: int) -> int:
    """Make a place for a run, killed at a point if there is one; return the durable lines."""
    os.mkdir(place)
    prepare(place, FEW)
    return attempt("kill-before", at, place, resume=False)[1] if at else 0


def attempt(mode: str, number: int, place: str, *, resume: bool) -> tuple[int, int]:
    """Let a child run into one point; return how it ended and how many lines were durable."""
    source, sink = os.pipe()
    child = fork()
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
    left = arm(mode, number)

    def tell(count: int) -> None:
        write(sink, b"%d " % count)

    try:
        work(folder, tell)
    except StorageFailed:
        return 7
    except BaseException as error:  # noqa: BLE001
        sys.stderr.write(f"{mode} {number}: {error!r}\n")
        return 1
    if mode == "count":
        tell(-left())
    return 7 if left() <= 0 else 0


def arm(mode: str, number: int) -> Callable[[], int]:
    """Let the call with that number, of those that change the disk, go wrong.

    Return what tells how many are left until then.
    """
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
    return lambda: left


def power(folder: str, contents: int, seed: str, states: list[int]) -> dict[int, str]:
    """Let the power fail; return what was wrong after which of the failures."""
    place = f"{folder}/recorded"
    os.mkdir(place)
    recorder = Recorder(place)
    try:
        prepare(place, contents)
        begin(place, lambda count: recorder.log.append(("heard", count)))
    finally:
        recorder.stop()
    wrong: dict[int, str] = {}
    for number in states:
        chance = random.Random(f"{seed} {number}")
        end = chance.randrange(len(recorder.log) + 1)
        left = f"{folder}/state{number}"
        survive(recorder.log[:end], recorder.top, chance, left)
        durable = max((op[1] for op in recorder.log[:end] if op[0] == "heard"), default=0)
        if problem := judge(left, durable, views_whole=False):
            wrong[number] = f"after {end} of {len(recorder.log)} calls: {problem}"
        shutil.rmtree(left)
    return wrong


def main(what: str, folder: str, *words: str) -> object:
    """Do what the arguments say."""
    match what, words:
        case "count", (at,):
            return count(folder, int(at))
        case "points", (at, mode, *numbers):
            return points(folder, int(at), mode, [*map(int, numbers)])
        case "power", (contents, seed, *states):
            return power(folder, int(contents), seed, [*map(int, states)])
        case _:
            raise ValueError(what)


if __name__ == "__main__":
    json.dump(main(*sys.argv[1:]), sys.stdout)

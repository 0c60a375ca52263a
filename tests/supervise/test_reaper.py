"""Nothing outlives a server, whichever process between it and the runtime is killed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from custody.supervise.descendants import children
from custody.supervise.reaper import become_subreaper, go_on_guarded
from support.forking import fork
from support.kills import VICTIMS, kill_once
from support.overlay import in_child
from support.processes import is_alive, wait_until_gone
from support.remains import mounts_here
from support.sandboxes import LEVELS
from support.sweep import POINT, Sweep, budget

DELAY = 0.3
"""Seconds in which a runtime starts a few lines."""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("victim", VICTIMS)
def test_nothing_outlives_a_killed_process(
    tmp_path: Path, level: str, victim: str, sweep: Sweep
) -> None:
    """At once, and at moments when lines are started, run and are ended."""
    before = mounts_here(tmp_path)

    def attempt(part: float) -> None:
        folder = tmp_path / str(part)
        folder.mkdir()
        assert kill_once(folder, level, victim, DELAY * part) == []

    at_once = [] if POINT else [0.0]
    sweep.over([*at_once, *sweep.moments(round(budget(1, 25)))], attempt)
    assert mounts_here(tmp_path) == before


def test_a_subreaper_gets_every_orphan() -> None:
    def work() -> bool:
        become_subreaper()
        done = subprocess.run(
            ["sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & echo $!"],
            capture_output=True,
            check=True,
        )
        orphan = int(done.stdout)
        mine = orphan in children(os.getpid())
        os.kill(orphan, signal.SIGKILL)
        os.waitpid(orphan, 0)
        return mine

    assert in_child(work)


class Guarded:
    """A reaper and the process that it guards, which has started one that sleeps."""

    def __init__(self) -> None:
        self.replies, replies = os.pipe()
        told, tell = os.pipe()
        self.reaper = fork()
        if self.reaper == 0:
            self._be_guarded(replies, tell)
        os.close(replies)
        os.close(tell)
        with os.fdopen(told) as pipe:
            self.kept, self.sleeper = map(int, pipe.readline().split())

    def _be_guarded(self, replies: int, tell: int) -> NoReturn:
        try:
            watched = go_on_guarded(replies)
            sleeper = subprocess.Popen(["sleep", "600"], start_new_session=True)
            os.write(tell, f"{os.getpid()} {sleeper.pid}\n".encode())
            select.select([watched], [], [])  # for as long as there is a reaper
            sleeper.kill()
        finally:
            os._exit(0)

    def way_is_open(self) -> bool:
        """Whether somebody still holds the way to the runtime."""
        return not select.select([self.replies], [], [], 0)[0]

    def end(self) -> None:
        os.waitpid(self.reaper, 0)
        os.close(self.replies)


def test_a_reaper_ends_what_a_killed_server_left_before_it_is_missed() -> None:
    guarded = Guarded()
    assert is_alive(guarded.sleeper)
    assert guarded.way_is_open()
    os.kill(guarded.kept, signal.SIGKILL)
    select.select([guarded.replies], [], [], 20)
    assert not is_alive(guarded.sleeper), "the runtime knew too early"
    guarded.end()


def test_a_killed_reaper_is_missed_by_whom_it_guards() -> None:
    guarded = Guarded()
    os.kill(guarded.reaper, signal.SIGKILL)
    wait_until_gone([guarded.kept, guarded.sleeper])
    guarded.end()

"""The stand-in behaves as launchers of farms do, and a session believes none of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from custody.model.session_event import SessionClosed
from support.agent_run import wait_for
from support.processes import is_alive, later
from support.remains import Remains
from support.sessions import EchoRun, said

pytestmark = pytest.mark.req("S-17")


WRITES = "sleep 2; touch done"


def working_in(folder: Path) -> list[str]:
    """Return the processes whose working directory that is."""
    found = Path("/proc").glob("[0-9]*/cwd")
    return [str(link) for link in found if _leads_to(link, folder)]


def _leads_to(link: Path, folder: Path) -> bool:
    try:
        return os.readlink(link) == str(folder)
    except OSError:
        return False  # it has ended


class Farm:
    """A run whose session is started by the stand-in."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def run(self, *options: str, **changed: float) -> EchoRun:
        command = (sys.executable, "-m", "custody.testing.dsub_i", *options)
        fields: dict[str, Any] = {"launcher": command, "launcher_stays": True}
        return EchoRun(self.home, "L1", **{**fields, **changed})

    @staticmethod
    def log(run: EchoRun) -> str:
        return run.path(1, "watcher.log").read_text()

    @staticmethod
    def launcher(run: EchoRun) -> int:
        """Return the launcher's process, which is the number of its job as well."""
        return int(Farm.log(run).partition("<")[2].partition(">")[0])


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[Farm]:
    with Remains() as remains:
        yield Farm(tmp_path)
        assert remains.trouble(tmp_path) == ""


def test_a_job_waits_for_its_turn(farm: Farm) -> None:
    run = farm.run("-q", "big", "--wait", "2.5", lost=2.0)
    assert said(run.ask("hello")) == "HELLO"
    number = farm.launcher(run)
    assert farm.log(run).splitlines()[:2] == [
        f"Job <{number}> is submitted to queue <big>.",
        "<<Waiting for dispatch ...>>",
    ]
    run.close()
    assert run.told() == ["SessionOpened 1", "SessionClosed 1 run_ended"]


@pytest.mark.parametrize("code", ["0", "3"])
def test_what_it_says_of_a_tool_that_was_killed(farm: Farm, code: str) -> None:
    run = farm.run("--says", code)
    run.ask("hello")
    os.kill(run.beat().program, signal.SIGKILL)
    wait_for(lambda: run.generation().ended() is not None)
    assert said(run.ask("again")) == "AGAIN"
    closed = next(fact for fact in run.facts if isinstance(fact, SessionClosed))
    assert (closed.reason, closed.signal) == ("exited", signal.SIGKILL)
    run.close()


@pytest.mark.parametrize("code", ["0", "1"])
def test_a_job_that_it_has_forgotten_goes_on(farm: Farm, code: str) -> None:
    run = farm.run("--says", code)
    run.ask("hello")
    launcher = farm.launcher(run)
    os.kill(launcher, signal.SIGUSR1)
    wait_for(lambda: not is_alive(launcher))
    assert said(run.ask("slow:0.5 again")) == "SLOW:0.5 AGAIN"
    run.close()
    assert run.told() == ["SessionOpened 1", "SessionClosed 1 run_ended"]


def test_killing_it_leaves_the_job(farm: Farm) -> None:
    run = farm.run()
    run.ask("hello")
    program = run.beat().program
    os.kill(farm.launcher(run), signal.SIGKILL)
    assert said(run.ask("slow:0.5 again")) == "SLOW:0.5 AGAIN"
    assert run.beat().program == program
    run.close()
    assert not is_alive(program)


def test_ending_it_takes_the_job_back(farm: Farm) -> None:
    run = farm.run()
    run.ask("hello")
    os.kill(farm.launcher(run), signal.SIGTERM)
    wait_for(lambda: run.generation().ended() is not None)
    ended = run.generation().ended()
    assert ended is not None
    assert ended.reason == "terminated"
    run.close()


@pytest.mark.parametrize("code", ["0", "1"])
def test_the_machine_dies(farm: Farm, code: str) -> None:
    run = farm.run("--says", code)
    run.ask("hello")
    with later(0.3, lambda: os.kill(farm.launcher(run), signal.SIGUSR2)):
        assert run.ask("slow:600").reason == "session_lost"
    assert run.told() == ["SessionOpened 1", "SessionClosed 1 lost"]


@pytest.mark.parametrize("option", ["--dies", "--forgets"])
def test_it_happens_after_a_while_where_it_is_told_to(tmp_path: Path, option: str) -> None:
    words = [sys.executable, "-m", "custody.testing.dsub_i", option, "0.5"]
    done = subprocess.run([*words, "sh", "-c", WRITES], cwd=tmp_path, check=False)
    assert done.returncode == 0
    if option == "--forgets":
        wait_for((tmp_path / "done").exists)
    else:
        wait_for(lambda: working_in(tmp_path) == [])
        assert not (tmp_path / "done").exists()


def test_no_turn_ever_comes(farm: Farm) -> None:
    run = farm.run("--full", start=3.0)
    reply = run.ask("hello")
    assert reply.reason == "session_start_failed: nothing was heard of it in 3 s"
    assert "<<Waiting for dispatch ...>>" in reply.summary
    assert "is being terminated" in farm.log(run)
    assert reply.seconds < 8, "a watcher that was never heard of has nothing to end"


@pytest.mark.parametrize("code", ["0", "255"])
def test_no_job_is_taken(farm: Farm, code: str) -> None:
    run = farm.run("--refuse", "bighosts: No such queue", "--says", code, start=60.0)
    reply = run.ask("hello")
    assert reply.reason == f"session_start_failed: its launcher has ended (exit code {code})"
    assert "No such queue" in reply.summary
    assert reply.seconds < 30


def test_by_hand(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "custody.testing.dsub_i"]
    says = ["sh", "-c", "exit 7"]
    for command, code in ((says, 7), (["no-such-program"], 127)):
        done = subprocess.run(
            [*words, *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code
        assert done.stdout.startswith("Job <")
        assert "<<Starting on " in done.stdout
        assert done.stderr == ""

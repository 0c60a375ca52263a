"""Sessions on a real Slurm whose nodes are killed: only what the watcher writes is believed."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from custody.supervise.descendants import children
from support.agent_run import wait_for
from support.processes import is_alive, later, stop_all
from support.remains import Remains
from support.sessions import EchoRun, said
from support.slurm import Slurm

pytestmark = [pytest.mark.req("S-17")]
SRUN = ("srun", "--ntasks=1", "--job-name=custody", "--input=none", "--unbuffered")


class OnSlurm(EchoRun):
    """A run whose session is started by srun, on one node where it is named."""

    def __init__(self, home: Path, *options: str, **changed: Any) -> None:
        fields = {"launcher": (*SRUN, *options), "launcher_stays": True}
        super().__init__(home, "L1", **{**fields, **changed})

    def ended(self, token: int = 1) -> str:
        """Wait until one generation has ended; return how."""
        wait_for(lambda: self.generation(token).ended() is not None)
        ended = self.generation(token).ended()
        assert ended is not None
        return ended.reason

    def said(self) -> str:
        """Return what srun and the watcher have said."""
        return self.path(1, "watcher.log").read_text()

    def launched_by(self, *options: str) -> None:
        """Let the next session be started by srun with other options."""
        self.kind = replace(self.kind, launcher=(*SRUN, *options))


def launcher() -> int:
    """Return the process of the srun that this process has started."""
    words = ((pid, Path(f"/proc/{pid}/cmdline").read_text()) for pid in children(os.getpid()))
    (found,) = (pid for pid, word in words if word.startswith("srun\0"))
    return found


@pytest.fixture
def remains(tmp_path: Path) -> Iterator[Remains]:
    with Remains() as remains:
        yield remains
        assert remains.trouble(tmp_path) == ""


pytestmark.append(pytest.mark.usefixtures("remains"))


def test_a_session_is_a_job_for_as_long_as_it_is_needed(slurm: Slurm, tmp_path: Path) -> None:
    node = slurm.shared[0]
    run = OnSlurm(tmp_path, "-w", node)
    assert said(run.ask("hello")) == "HELLO"
    assert slurm.jobs(node).endswith(" R")
    assert len(slurm.steps(node)) == 1
    program = run.beat().program
    assert said(run.ask("again")) == "AGAIN"
    run.close()
    assert not is_alive(program)
    assert run.told() == ["SessionOpened 1", "SessionClosed 1 run_ended"]
    wait_for(lambda: slurm.jobs(node) == "")


def test_a_node_is_gone_with_its_job(slurm: Slurm, tmp_path: Path) -> None:
    node = slurm.spare()
    run = OnSlurm(tmp_path, "-w", node)
    run.ask("hello")
    with later(0.3, lambda: slurm.kill(node, jobs=True)):
        reply = run.ask("slow:600")
    assert reply.reason == "session_lost"
    assert not is_alive(run.beat().program)
    assert run.told() == ["SessionOpened 1", "SessionClosed 1 lost"]


def test_a_node_is_given_up_whose_job_lives(slurm: Slurm, tmp_path: Path) -> None:
    """Slurm says that the job is over; the session answers until it is fenced."""
    node, other = slurm.spare(), slurm.shared[1]
    run = OnSlurm(tmp_path, "-w", node)
    run.ask("hello")
    beat = run.beat()
    slurm.kill(node, jobs=False)
    wait_for(lambda: "Node failure" in run.said())
    wait_for(lambda: slurm.jobs(node) == "")
    assert said(run.ask("again")) == "AGAIN", "what srun says is not believed"
    assert run.beat().program == beat.program
    key = run.post("slow:0.1 late")
    wait_for(lambda: f"begin {key} 1" in run.log())
    stopped = stop_all(beat.watcher)
    run.forget()
    run.launched_by("-w", other)
    assert run.recover() is None
    assert said(run.ask("anew")) == "ANEW"
    for process in reversed(stopped):
        os.kill(process, signal.SIGCONT)
    assert run.ended(1) in {"closed", "fenced", "exited"}
    run.close()
    assert run.told() == [
        "SessionOpened 1", "SessionClosed 1 lost", "SessionOpened 2", "SessionClosed 2 run_ended",
    ]  # fmt: skip
    assert not any(map(is_alive, stopped))
    assert run.generation(1).counted(key) is None


def test_an_orphan_of_a_node_ends_with_its_lease(slurm: Slurm, tmp_path: Path) -> None:
    node = slurm.spare()
    run = OnSlurm(tmp_path, "-w", node, lease=2.0)
    run.ask("hello")
    program = run.beat().program
    slurm.kill(node, jobs=False)
    run.post("slow:600")
    run.forget()
    assert run.ended() == "lease_expired"
    wait_for(lambda: not is_alive(program))


def test_a_job_is_cancelled(slurm: Slurm, tmp_path: Path) -> None:
    """Slurm tells all of its processes to end, the tool and its watcher alike."""
    node = slurm.shared[0]
    run = OnSlurm(tmp_path, "-w", node)
    run.ask("hello")
    number = slurm.jobs(node).split()[0]
    with later(0.3, lambda: slurm.told("scancel", number)):
        reply = run.ask("slow:600")
    assert reply.reason in {"session_dead: terminated", "session_dead: signal 15"}
    assert said(run.ask("again")) == "AGAIN"
    run.close()
    assert run.told()[2:] == ["SessionOpened 2", "SessionClosed 2 run_ended"]


def test_srun_is_killed(slurm: Slurm, tmp_path: Path) -> None:
    """Slurm ends the job soon: its session is dead or lost, and another one is opened."""
    run = OnSlurm(tmp_path, "-w", slurm.shared[1])
    run.ask("hello")
    with later(0.3, lambda: os.kill(launcher(), signal.SIGKILL)):
        reply = run.ask("slow:600")
    assert reply.reason.split(":")[0] in {"session_dead", "session_lost"}
    assert said(run.ask("again")) == "AGAIN"
    run.close()
    assert run.told()[2:] == ["SessionOpened 2", "SessionClosed 2 run_ended"]


def test_no_node_is_free(slurm: Slurm, tmp_path: Path) -> None:
    """A job that waits in the queue is taken back when nobody waits for it any more."""
    node = slurm.spare()
    busy = subprocess.Popen(["srun", "-n2", "-w", node, "sleep", "600"])
    wait_for(lambda: slurm.jobs(node).endswith(" R"))
    mine = slurm.jobs(node)
    run = OnSlurm(tmp_path, "-w", node, start=5.0)
    reply = run.ask("hello")
    assert reply.reason == "session_start_failed: nothing was heard of it in 5 s"
    assert "queued and waiting for resources" in reply.summary
    wait_for(lambda: slurm.jobs() == mine)
    busy.terminate()
    busy.wait(60)


@pytest.mark.usefixtures("slurm")
def test_srun_is_refused_a_node(tmp_path: Path) -> None:
    run = OnSlurm(tmp_path, "--partition=none", start=60.0)
    reply = run.ask("hello")
    assert reply.reason == "session_start_failed: its launcher has ended (exit code 1)"
    assert "invalid partition" in reply.summary
    assert reply.seconds < 30

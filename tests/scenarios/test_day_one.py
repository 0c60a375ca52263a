"""The first day: a real project with a bug, the real agents, and a verified repair on a branch."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.testing.model_server import Answer, ModelServer, Script, Turn
from support import real_project
from support.real_agents import environment, program
from support.real_project import FILE, ITS_TEST, RIGHT, WRONG, git, make_project
from support.servers import free_port
from support.shell import Done, Here, Shell
from support.sweep import turn

AGENTS = ("claude", "codex")
TASK = "The tests of this project fail"
READY = Answer(turns=(Turn(say="ready"),))
OTHER = "link.count += None"
"""No repair, and told from the bug by what Python says to it."""
SAID = Turn(say="Each use counts once.")


def edit(new: str, old: str = WRONG) -> Turn:
    """Return a turn that edits the code by the agent's own shell."""
    return Turn(run=f"sed -i 's/{old}/{new}/' {FILE}")


REPAIR = Answer(turns=(edit(RIGHT), SAID), when=TASK)


def script(*answers: Answer) -> Script:
    return Script(answers=(*answers, READY))


class Day:
    """A project of the user's, a model on this machine, and the commands that the user types."""

    def __init__(self, project: Path, port: int) -> None:
        self.project = project
        self.shell = Shell(project)
        self.shell.environment |= environment(project.parent, port)
        self._here = Here(project)
        self._here.environment = self.shell.environment

    def custody(self, *words: str) -> str:
        """Return what a command prints that succeeds."""
        done = self._here(*words)
        assert done.code == 0, done.out + done.err
        return done.out + done.err

    def judged_by_one_test(self) -> None:
        """Let the run be judged by the test that shows the bug, which takes less time than all."""
        self.custody("init", "--test", f".venv/bin/python -m pytest -q {ITS_TEST}")

    def run(self, agent: str) -> Done:
        return self.shell("run", "--agent", agent, "--run-id", "r1")

    @property
    def record(self) -> Path:
        return self.project / ".custody/runs/r1"

    def prompt(self, attempt: str) -> str:
        return (self.record / "nodes/fix" / attempt / "prompt.md").read_text()

    def holds(self, run: str, verdict: str) -> None:
        """See that the record is intact, its decisions hold, and the source is as it was."""
        assert f"\nthe run itself ended {verdict}\n" in self.custody("verify", run)
        assert f"ends {verdict}" in self.custody("replay", run)
        assert git(self.project, "status", "--short", "src", "tests") == ""
        assert working_below(self.project) == []

    def lands(self, run: str = "r1", *tests: str) -> None:
        """Take the repair over to a branch; it is one commit, and the tests pass on it."""
        self.custody("apply", run, "--branch", "fix")
        assert git(self.project, "rev-list", "--count", "main..fix") == "1\n"
        message = git(self.project, "log", "-1", "--format=%B", "fix")
        head = json.loads((self.record.parent / run / "summary.json").read_text())["head"]
        for line in (f"Custody-Run: {run}", f"Custody-Head: {head}", "Custody-Verdict: PASS"):
            assert line in message.splitlines()
        assert "verification passed" in message
        tree = self.project.parent / "on-the-branch"
        git(self.project, "worktree", "add", "--quiet", str(tree), "fix")
        try:
            assert real_project.passes(tree, self.project / ".venv/bin/python", *tests)
        finally:
            git(self.project, "worktree", "remove", "--force", str(tree))

    def refuses_to_apply(self, run: str = "r1") -> None:
        done = self._here("apply", run, "--branch", "fix")
        assert (done.code, f"run {run} failed: nothing is applied" in done.err) == (1, True)
        assert git(self.project, "branch", "--list", "fix") == ""


def working_below(folder: Path) -> list[str]:
    """Return the processes that work below a folder."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            at = os.readlink(f"/proc/{name}/cwd")
        except OSError:
            continue  # it has ended
        if at.startswith(str(folder)):
            found.append(name)
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the project with a bug, made once: its own environment takes the most of the time."""
    for agent in AGENTS:
        program(agent)
    project = make_project(tmp_path_factory.mktemp("day-one"), sys.executable)
    assert not real_project.passes(project, project / ".venv/bin/python", ITS_TEST)
    return project


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Return a model at a port that nobody takes while it is away."""
    with ModelServer(script(REPAIR), port=free_port()) as server:
        yield server


@pytest.fixture
def day(made: Path, server: ModelServer) -> Iterator[Day]:
    yield Day(made, port_of(server))
    if git(made, "branch", "--list", "fix"):
        git(made, "branch", "--quiet", "-D", "fix")
    git(made, "checkout", "--quiet", ".")
    git(made, "clean", "--quiet", "-fd")
    subprocess.run(["rm", "-rf", str(made / ".custody")], check=True)


def port_of(server: ModelServer) -> int:
    return int(server.url.rpartition(":")[2])


@pytest.mark.req("U-04", "U-07", "U-08", "U-11")
@pytest.mark.parametrize("agent", AGENTS)
def test_from_a_failing_test_to_a_branch(day: Day, agent: str) -> None:
    assert "found Python, pytest: .venv/bin/python -m pytest -q" in day.custody("init")
    assert f"agent {agent} answered" in day.custody("doctor", "--agent", agent)
    done = day.run(agent)
    assert (done.code, done.out.splitlines()[0]) == (0, "PASS  fix  run r1"), done.out + done.err
    assert "tokens:" in day.custody("show", "r1")
    changed = [line for line in day.custody("diff", "r1").splitlines() if line[:2] in {"- ", "+ "}]
    assert [line[1:].strip() for line in changed] == [WRONG, RIGHT]
    day.holds("r1", "PASS")
    day.lands()


@pytest.mark.req("U-05")
def test_an_agent_that_fails_twice_first(day: Day, server: ModelServer) -> None:
    day.judged_by_one_test()
    server.script = script(
        Answer(turns=(edit(RIGHT, OTHER), SAID), when="NoneType"),
        Answer(turns=(edit(OTHER), SAID), when="no room for this today"),
        Answer(turns=(Turn(say="no room for this today", status=400),), when=TASK),
    )
    done = day.run("codex")
    assert done.code == 0, done.out + done.err
    assert "no room for this today" in day.prompt("1.2")
    assert "NoneType" in day.prompt("2.1")
    day.holds("r1", "PASS")
    day.lands("r1", ITS_TEST)


@pytest.mark.req("U-05")
def test_an_agent_that_edits_the_tests_first(day: Day, server: ModelServer) -> None:
    day.judged_by_one_test()
    cheat = Turn(run=f"echo > tests/test_lfu.py; {edit(OTHER).run}")
    server.script = script(
        Answer(turns=(edit(RIGHT), SAID), when="disallowed files"),
        Answer(turns=(cheat, Turn(say="The test was too strict.")), when=TASK),
    )
    done = day.run("claude")
    assert done.code == 0, done.out + done.err
    assert "wrote disallowed files: tests/test_lfu.py" in day.prompt("2.1")
    assert [line for line in day.custody("diff", "r1").splitlines() if line.startswith("+++")] == [
        f"+++ b/{FILE}"
    ]
    day.holds("r1", "PASS")
    day.lands("r1", ITS_TEST)


CLAIMS = (
    ("codex", (Turn(say="All tests pass now. PASS"),)),
    ("claude", (Turn(run="echo > tests/test_lfu.py"), Turn(say="All tests pass now. PASS"))),
)


@pytest.mark.parametrize(("agent", "turns"), turn("claims", CLAIMS))
def test_a_pass_must_be_earned(
    day: Day, server: ModelServer, agent: str, turns: tuple[Turn, ...]
) -> None:
    day.judged_by_one_test()
    server.script = script(Answer(turns=turns, when=TASK))
    done = day.run(agent)
    assert (done.code, done.out.splitlines()[0]) == (1, "FAIL  fix  run r1")
    assert day.custody("diff", "r1") == "nothing was changed\n"
    day.holds("r1", "FAIL")
    day.refuses_to_apply()


def test_a_server_that_goes_away(day: Day, server: ModelServer) -> None:
    day.judged_by_one_test()
    server.script = script(Answer(turns=(Turn(run="sleep 3"),), when=TASK))
    process = day.shell.start(
        "run", "--agent", "codex", "--run-id", "r1", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    asked(server, day)
    server.__exit__()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1, out + err
    assert out.startswith("FAIL  fix  run r1\n")
    assert "the agent failed: agent_exit_code_1: stream disconnected" in out
    assert f"it reached none of its servers: 127.0.0.1:{port_of(server)}" in out
    day.holds("r1", "FAIL")
    day.refuses_to_apply()
    with ModelServer(script(REPAIR), port=port_of(server)):
        day.custody("fork", "r1", "fix", "--run-id", "r2")
    day.holds("r2", "PASS")
    day.lands("r2", ITS_TEST)


@pytest.mark.req("U-12")
def test_ctrl_c_in_the_middle(day: Day, server: ModelServer) -> None:
    day.judged_by_one_test()
    server.script = script(Answer(turns=(Turn(run="sleep 300"), SAID), when=TASK))
    process = day.shell.start(
        "run", "--agent", "claude", "--run-id", "r1",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    asked(server, day)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, out + err
    assert "custody resume r1" in out + err
    assert working_below(day.project) == []
    assert "INTERRUPTED" in day.custody("runs")
    server.script = script(REPAIR)
    assert day.custody("resume", "r1").startswith("PASS  fix  run r1\n")
    day.holds("r1", "PASS")
    day.lands("r1", ITS_TEST)


def asked(server: ModelServer, day: Day) -> None:
    """Wait until the agent has asked the model, and its tool is at work."""
    end = time.monotonic() + 60
    while not (server.asked and (day.record / "nodes/fix").exists()):
        assert time.monotonic() < end
        time.sleep(0.05)

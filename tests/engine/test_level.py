"""The level of confinement: chosen once, kept by the record, never lowered in silence."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Literal

import pytest

from custody import api
from custody.engine.level import pick, starts_programs
from custody.errors import ConfinementMissing, UsageError
from custody.handlers import catalog
from custody.model.confinement import Confined
from custody.model.event import RequestAnswered
from custody.pipeline.read import load_pipeline
from custody.supervise import probe
from custody.supervise.probe import Offer
from support.bench import Bench

TOOL = 't [type=tool, tool_command="ls"]\nstart -> t -> done'
ASK = 'a [prompt="x"]\nstart -> a -> done'


def confined(bench: Bench, run_id: str = "r1") -> Confined | None:
    (answered,) = [fact for fact in bench.facts(run_id) if isinstance(fact, RequestAnswered)]
    return answered.ack.confined


def manifest(bench: Bench, run_id: str = "r1") -> dict[str, object]:
    found: dict[str, object] = json.loads(bench.path("manifest.json", run_id).read_text())
    return found


@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
def test_the_level_stands_in_the_manifest_and_in_every_ack(bench: Bench, level: str) -> None:
    assert bench.run(TOOL, confinement=level).summary.status == "PASS"
    assert manifest(bench)["confinement"] == {"level": level, "asked": True}
    held = confined(bench)
    assert held is not None
    assert (held.level, held.unconfined) == (level, level == "L1")
    assert held.network == ("host" if level == "L1" else "none")


def test_the_best_level_is_taken(bench: Bench) -> None:
    bench.run(TOOL)
    assert manifest(bench)["confinement"] == {"level": probe.offered().level}


def test_a_run_that_starts_nothing_has_no_level(bench: Bench) -> None:
    bench.run(ASK)
    assert manifest(bench)["confinement"] is None
    assert confined(bench) is None


def test_a_level_that_does_not_exist_is_refused(bench: Bench) -> None:
    with pytest.raises(UsageError, match="no level named 'L9'"):
        bench.run(TOOL, confinement="L9")
    assert api.list_runs(runsdir=str(bench.runsdir)) == []


@pytest.mark.parametrize("asked", ["", "L2", "L3"])
def test_a_machine_that_cannot_confine_refuses(asked: Literal["", "L2", "L3"]) -> None:
    offer = Offer(level="L1", reasons={"L3": "no user namespaces", "L2": "no Landlock"})
    with pytest.raises(ConfinementMissing, match="no Landlock") as caught:
        pick(offer, asked)
    assert "--confinement L1" in caught.value.hint


def without_namespaces(bench: Bench, *words: str) -> subprocess.CompletedProcess[str]:
    """Run custody where nobody gets a user namespace: the kernel counts them in each one."""
    limit = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    return subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c", limit, "sh",
         sys.executable, "-m", "custody", *words, "--runsdir", str(bench.runsdir)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_a_machine_without_namespaces_gives_l2_and_says_why(bench: Bench) -> None:
    done = without_namespaces(bench, "run", bench.pipeline(TOOL), "--run-id", "r1")
    assert done.returncode == 0, done.stderr
    assert '"level": "L2"' in bench.path("manifest.json").read_text()
    assert '"L3": ' in bench.path("manifest.json").read_text()


def test_a_level_that_is_missing_refuses_the_run(bench: Bench) -> None:
    done = without_namespaces(bench, "run", bench.pipeline(TOOL), "--confinement", "L3")
    assert done.returncode == 1
    assert "cannot confine programs at L3" in done.stderr
    assert api.list_runs(runsdir=str(bench.runsdir)) == []


def test_a_fork_keeps_the_level(bench: Bench) -> None:
    for level in ("L2", "L3"):
        bench.run(TOOL, confinement=level, run_id=level)
        api.fork(level, "t", runsdir=str(bench.runsdir), run_id=f"{level}b")
        held = confined(bench, f"{level}b")
        assert held is not None
        assert held.level == level
    assert without_namespaces(bench, "fork", "L2", "t").returncode == 0
    assert "cannot confine" in without_namespaces(bench, "fork", "L3", "t").stderr


def test_a_fork_with_another_agent_may_be_the_first_to_need_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(ASK)
    monkeypatch.setenv("CUSTODY_LOCAL_EXEC_ARGV", "sh -c 'echo new > made.txt'")
    api.fork("r1", "a", runsdir=str(bench.runsdir), run_id="r2", agent="local_exec")
    assert bench.path("workspace/made.txt", "r2").read_text() == "new\n"
    assert manifest(bench, "r2")["confinement"] == {"level": probe.offered().level}


@pytest.mark.parametrize(
    ("body", "agent", "starts"),
    [
        (TOOL, "stub", True),
        (ASK, "stub", False),
        (ASK, "fake:answers.json", False),
        (ASK, "codex:model", True),
        ('a [prompt="x", agent=codex]\nstart -> a -> done', "stub", True),
        ("start -> done", "codex", False),
    ],
)
def test_only_some_pipelines_start_programs(
    bench: Bench, body: str, agent: str, starts: bool
) -> None:
    with open(bench.pipeline(body), "rb") as file:
        pipeline = load_pipeline(file.read(), catalog(), where="p.dot")
    assert starts_programs(pipeline, agent) is starts

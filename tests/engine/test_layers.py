"""Stages that work on layers of their own: what is kept, what is refused, what is left."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from custody import api
from custody.engine.result import RunResult
from custody.errors import Interrupted
from custody.model.event import GuardrailViolation, RequestAnswered
from support.bench import Bench

HIDDEN = "scripts/scenarios"


def agent(name: str, script: str, more: str = "") -> str:
    """Return a node whose agent is a shell script."""
    return f'{name} [prompt="x", local_exec.argv="sh -ec \'{script}\'"{more}]\n'


@pytest.fixture
def place(bench: Bench) -> Bench:
    """Return a bench with scenarios to hide."""
    (bench.workdir / HIDDEN).mkdir(parents=True)
    (bench.workdir / HIDDEN / "one.sh").write_text("true")
    (bench.workdir / "app.txt").write_text("old")
    return bench


def start(bench: Bench, body: str, **options: str) -> RunResult:
    return bench.run(body, agent="local_exec", **options)


def mismatches(bench: Bench) -> list[tuple[str, str]]:
    found = api.verify("r1", runsdir=str(bench.runsdir)).mismatches
    return [(mismatch.code, mismatch.where) for mismatch in found]


@pytest.mark.req("P-18")
def test_an_accepted_stage_changes_the_workspace(place: Bench) -> None:
    body = (
        agent("a", f"[ ! -e {HIDDEN} ]; ls scripts > seen; echo new > app.txt")
        + f't [type=tool, tool_command="test -e {HIDDEN}/one.sh"]\n'
        + 'start -> a -> t -> done [condition="outcome=success"]'
    )
    assert start(place, body).summary.status == "PASS"
    assert place.path("workspace/app.txt").read_text() == "new\n"
    assert place.path("workspace/seen").read_text() == ""
    assert place.path(f"workspace/{HIDDEN}/one.sh").read_text() == "true"
    assert not place.path("layers").exists()
    assert mismatches(place) == []


@pytest.mark.req("P-18")
def test_the_record_says_what_was_hidden(place: Bench) -> None:
    start(place, agent("a", "true") + "start -> a -> done")
    (answered,) = [fact for fact in place.facts() if isinstance(fact, RequestAnswered)]
    assert answered.ack.confined is not None
    assert answered.ack.confined.hidden == (HIDDEN,)


@pytest.mark.req("P-18")
def test_scenarios_are_shown_to_whoever_is_allowed_to_see_them(place: Bench) -> None:
    more = ", local_exec.allow_read_scenarios=true, local_exec.block_read_paths=app.txt"
    body = agent("a", f"cat {HIDDEN}/one.sh > seen; [ ! -e app.txt ]", more)
    assert start(place, f"{body}start -> a -> done").summary.status == "PASS"
    assert place.path("workspace/seen").read_text() == "true"
    assert place.path("workspace/app.txt").read_text() == "old"


BREAKS_IN = (
    agent(
        "a",
        f"mkdir {HIDDEN}; echo mine > {HIDDEN}/one.sh; echo new > app.txt",
        ', allowed_write_paths="app.txt"',
    )
    + agent("b", "cat app.txt > copy")
    + 'start -> a\na -> b [condition="outcome=fail"]\na -> done [condition="outcome=success"]\n'
    "b -> done"
)


@pytest.mark.req("P-18")
def test_a_holdout_that_is_made_again_is_refused(place: Bench) -> None:
    start(place, BREAKS_IN)
    (violation,) = [fact for fact in place.facts() if isinstance(fact, GuardrailViolation)]
    assert {(v.subject, v.code) for v in violation.verdicts} == {
        (HIDDEN, "holdout"),
        (f"{HIDDEN}/one.sh", "holdout"),
    }
    assert place.path("workspace/copy").read_text() == "old"
    assert place.path(f"workspace/{HIDDEN}/one.sh").read_text() == "true"
    prompt = place.path("nodes/b/1.1/prompt.md").read_text()
    assert "guardrail_violation" in prompt
    assert "scenarios" not in prompt
    upper = place.path(f"layers/a/1.1/upper/{HIDDEN}/one.sh")
    assert upper.read_text() == "mine\n"
    assert mismatches(place) == []


def test_what_a_refused_stage_left_is_evidence(place: Bench) -> None:
    start(place, BREAKS_IN)
    upper = place.path("layers/a/1.1/upper")
    (upper / "app.txt").write_text("tampered")
    assert mismatches(place) == [("evidence", "layers/a/1.1/upper")]
    (upper / "app.txt").write_text("new\n")
    assert mismatches(place) == []
    (upper.parent / "stray").touch()
    (place.path("layers") / "odd").touch()
    assert mismatches(place) == [("unclaimed", "layers/a/1.1"), ("unclaimed", "layers/odd")]


def interrupt_when(path: Path) -> threading.Thread:
    """Press Ctrl-C when a file is there."""

    def wait() -> None:
        deadline = time.monotonic() + 60
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.req("P-11", "P-18")
def test_layers_of_an_unfinished_attempt_are_set_aside(place: Bench) -> None:
    body = (
        agent("a", "echo new > app.txt")
        + agent("b", "echo half > half; sleep 600")
        + "start -> a -> b -> done"
    )
    half = place.path("layers/b/1.1/upper/half")
    waiting = interrupt_when(half)
    with pytest.raises(Interrupted):
        start(place, body)
    waiting.join()
    assert half.read_text() == "half\n"
    assert not place.path("workspace/half").exists()
    assert mismatches(place) == []
    half.unlink()
    waiting = interrupt_when(half)
    with pytest.raises(Interrupted):
        api.resume("r1", runsdir=str(place.runsdir))
    waiting.join()
    assert sorted(os.listdir(place.path("layers/b"))) == ["1.1", "1.1.lost.1"]
    assert place.path("workspace/app.txt").read_text() == "new\n"
    assert mismatches(place) == []


def test_below_l3_stages_work_in_the_workspace_itself(place: Bench) -> None:
    body = agent("a", "echo new > app.txt", ", local_exec.allow_read_scenarios=true")
    for level in ("L1", "L2"):
        start(place, f"{body}start -> a -> done", confinement=level, run_id=level)
        assert place.path("workspace/app.txt", level).read_text() == "new\n"
        diff = place.path("nodes/a/1.1/workspace.diff.json", level).read_text()
        assert '"layer"' not in diff


@pytest.mark.req("P-18")
@pytest.mark.parametrize("level", ["L1", "L2"])
def test_what_cannot_be_hidden_is_not_shown(place: Bench, level: str) -> None:
    body = agent("a", "cat scripts/scenarios/one.sh > seen")
    result = start(place, f"{body}start -> a -> done", confinement=level)
    assert result.summary.status == "FAIL"
    assert not place.path("workspace/seen").exists()
    assert "cannot be hidden" in place.path("nodes/a/1.1/status.json").read_text()


@pytest.mark.parametrize(
    ("script", "status"), [("echo 1 > done.txt", "PASS"), ("echo 1 > answer.txt", "FAIL")]
)
def test_a_program_and_its_answer_may_change_different_files(
    place: Bench, script: str, status: str
) -> None:
    (place.workdir / "work.sh").write_text(
        f"{script}\ncat <<'END'\n```text file=answer.txt\nsaid\n```\nEND\n"
    )
    body = 'a [prompt="x", local_exec.argv="sh -e work.sh"]\nstart -> a -> done'
    assert start(place, body).summary.status == status
    if status == "PASS":
        assert place.path("workspace/answer.txt").read_text() == "said\n"
        assert place.path("workspace/done.txt").read_text() == "1\n"
    else:
        assert not place.path("workspace/answer.txt").exists()
        (violation,) = [fact for fact in place.facts() if isinstance(fact, GuardrailViolation)]
        assert [verdict.code for verdict in violation.verdicts] == ["edited_twice"]
    assert mismatches(place) == []

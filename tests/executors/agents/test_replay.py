"""Answers of one run are given again in another."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from custody import api
from custody.errors import RunNotFound, UsageError
from custody.model.event import RequestAnswered
from custody.model.request import Ack, Usage
from support.bench import Bench

WORK = (
    "printf 'new\\n' > kept.txt && mkdir -p deep/er && printf 'x' > deep/er/run.sh"
    " && chmod 755 deep/er/run.sh && ln -s er deep/link && rm gone.txt && echo done"
)
BODY = 'start -> build -> done\n build [prompt="Build it."]'


def tree(workspace: Path) -> dict[str, str]:
    """Return what stands in a folder: modes, targets and contents."""
    found = {}
    for path in sorted(workspace.rglob("*")):
        state = path.lstat()
        content = os.readlink(path) if path.is_symlink() else ""
        content = content or (path.read_text() if path.is_file() else "")
        found[str(path.relative_to(workspace))] = f"{state.st_mode:o} {content}"
    return found


def acks(bench: Bench, run_id: str) -> list[Ack]:
    return [fact.ack for fact in bench.facts(run_id) if isinstance(fact, RequestAnswered)]


@pytest.fixture
def recorded(bench: Bench) -> Bench:
    """Return a bench with a run in which a command did the work."""
    (bench.workdir / "kept.txt").write_text("old\n")
    (bench.workdir / "gone.txt").write_text("old\n")
    (bench.workdir / "work.sh").write_text(WORK)
    bench.run(BODY, agent="local_exec:sh work.sh")
    assert acks(bench, "r1")[0].status == "ok"
    return bench


@pytest.mark.req("P-13")
@pytest.mark.parametrize("name", ["r1", "last", "path"])
def test_an_answer_and_its_changes_are_given_again(recorded: Bench, name: str) -> None:
    run = str(recorded.path("")) if name == "path" else name
    result = recorded.run(BODY, agent=f"replay:{run}", run_id="r2")
    assert result.summary.status == "PASS"
    assert tree(recorded.path("workspace", "r2")) == tree(recorded.path("workspace"))
    folder = recorded.path("nodes/build/1.1", "r2")
    assert (folder / "response.md").read_text() == "done\n"
    origin = json.loads((folder / "replay.json").read_text())
    assert (origin["run_id"], origin["request_id"]) == ("r1", "build/1.1")
    assert (origin["prompt_differs"], origin["changes"]) == (False, 6)
    (ack,) = acks(recorded, "r2")
    assert (ack.exit_code, ack.usage) == (0, None)
    assert ack.notes == "replayed from build/1.1 of run r1"
    assert api.verify("r2", runsdir=str(recorded.runsdir)).mismatches == ()


def test_each_call_gets_its_own_answer(bench: Bench) -> None:
    body = (
        'start -> build -> check -> done\n check -> build [condition="outcome=fail"]\n'
        ' build [prompt="Build it.", max_visits=3]'
        ' check [type=tool, tool_command="test -f two"]'
    )
    script = "if [ -f one ]; then touch two; else touch one; fi; ls"
    (bench.workdir / "work.sh").write_text(script)
    bench.run(body, agent="local_exec:sh work.sh")
    result = bench.run(body, agent="replay:r1", run_id="r2")
    assert result.summary.status == "PASS"
    first, second = (
        bench.path(f"nodes/build/{visit}.1/response.md", "r2").read_text() for visit in (1, 2)
    )
    assert "two" not in first
    assert "two" in second


def test_failures_are_given_again_and_nothing_is_spent(bench: Bench) -> None:
    book = bench.home / "book.json"
    usage = Usage(model="m", input_tokens=5, cost_usd=1.0)
    answer = {"text": "no", "outcome": "fail", "notes": "broken", "usage": {"cost_usd": 1.0}}
    book.write_text(json.dumps({"answers": [answer]}))
    bench.run(BODY, agent=f"fake:{book}")
    assert acks(bench, "r1")[0].spent().cost_usd == usage.cost_usd
    result = bench.run(BODY, agent="replay:r1", run_id="r2")
    assert result.summary.status == "FAIL"
    (ack,) = acks(bench, "r2")
    assert (ack.status, ack.failure_reason, ack.usage) == ("failed", "broken", None)


def test_a_request_that_is_not_recorded_fails(recorded: Bench) -> None:
    body = 'start -> other -> done\n other [prompt="Build it."]'
    recorded.run(body, agent="replay:r1", run_id="r2")
    (ack,) = acks(recorded, "r2")
    assert ack.failure_reason == "replay_missing: run r1 has no answer to call 1 of other"


class TestAnotherPrompt:
    BODY = BODY.replace("Build it.", "Build it well.")

    def test_it_is_noted(self, recorded: Bench) -> None:
        result = recorded.run(self.BODY, agent="replay:r1", run_id="r2")
        assert result.summary.status == "PASS"
        assert acks(recorded, "r2")[0].notes.endswith(", whose prompt differs")

    def test_it_fails_where_that_is_asked_for(self, recorded: Bench) -> None:
        body = self.BODY.replace("[", "[replay.strict=true, ")
        recorded.run(body, agent="replay:r1", run_id="r2")
        (ack,) = acks(recorded, "r2")
        assert ack.failure_reason.startswith("replay_prompt_differs: ")
        assert recorded.path("workspace/gone.txt", "r2").exists()


def test_a_file_that_is_another_by_now_is_not_overwritten(recorded: Bench) -> None:
    (recorded.workdir / "kept.txt").write_text("mine\n")
    recorded.run(BODY, agent="replay:r1", run_id="r2")
    (ack,) = acks(recorded, "r2")
    assert ack.failure_reason.startswith("replay_workspace_differs: kept.txt ")
    assert recorded.path("workspace/kept.txt", "r2").read_text() == "mine\n"
    assert recorded.path("workspace/gone.txt", "r2").exists()


def test_a_record_that_is_damaged_changes_nothing(recorded: Bench) -> None:
    for blob in recorded.path("blobs").rglob("*"):
        if blob.is_file() and blob.read_bytes() == b"new\n":
            blob.chmod(0o644)
            blob.write_bytes(b"bad\n")
    recorded.run(BODY, agent="replay:r1", run_id="r2")
    (ack,) = acks(recorded, "r2")
    assert ack.failure_reason.startswith("replay_damaged: ")
    assert recorded.path("workspace/gone.txt", "r2").exists()


def test_what_a_changed_pipeline_set_aside_does_not_count(bench: Bench) -> None:
    (bench.workdir / "work.sh").write_text('echo "$CUSTODY_NODE" > it.txt; cat')
    bench.run('start -> build -> done\n build [prompt="First."]', agent="local_exec:sh work.sh")
    changed = bench.pipeline('start -> build -> done\n build [prompt="Second."]')
    api.resume("r1", runsdir=str(bench.runsdir), pipeline=changed, accept_change=True)
    bench.run('start -> build -> done\n build [prompt="Second."]', agent="replay:r1", run_id="r2")
    assert bench.path("nodes/build/1.1/response.md", "r2").read_text() == "Second.\n"


def test_a_run_that_is_not_there(bench: Bench) -> None:
    with pytest.raises(RunNotFound):
        bench.run(BODY, agent="replay:none")
    with pytest.raises(UsageError, match="needs a run"):
        bench.run(BODY, agent="replay", run_id="r2")


def test_a_run_is_not_its_own_record(bench: Bench) -> None:
    with pytest.raises(RunNotFound, match="from itself"):
        bench.run(BODY, agent="replay:r1")

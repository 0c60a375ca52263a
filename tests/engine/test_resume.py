"""Going on with a run that was left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from custody import api
from custody.errors import JournalBroken, PipelineChanged, RunExists, RunLocked
from custody.model import layout
from custody.model.event import StageStarted
from custody.model.process_event import PipelineReplaced, RunInterrupted, RunResumed
from custody.store.rundir import RunDirectory
from support.bench import Bench
from support.journals import as_version_1_0
from support.tampering import rechained

TWO_STAGES = (
    'a [type=tool, tool_command="touch a.txt"]\n'
    'b [type=tool, tool_command="sh wait.sh"]\nstart -> a -> b -> done'
)
WAIT = "echo half > half.txt\n[ -e go ] && exit 0\ntouch started\nexec sleep 600\n"


def leave_in_b(bench: Bench, by: signal.Signals, body: str = TWO_STAGES) -> int:
    """Run until stage b is at work, then end the runtime by a signal; return its exit code."""
    (bench.workdir / "wait.sh").write_text(WAIT)
    process = subprocess.Popen(
        [
            sys.executable, "-m", "custody", "run", bench.pipeline(body),
            "--workdir", str(bench.workdir), "--runsdir", str(bench.runsdir), "--run-id", "r1",
            "--confinement", "L2",  # stages work in the workspace itself
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (bench.path("workspace/started").exists() and checkpoint_is_complete(bench)):
        assert time.monotonic() < deadline, "stage b never began"
        time.sleep(0.01)
    process.send_signal(by)
    return process.wait(timeout=60)


def checkpoint_is_complete(bench: Bench) -> bool:
    """Whether the checkpoint, which follows the journal, has caught up with it."""
    checkpoint = bench.path("checkpoint.json")
    if not checkpoint.exists():
        return False
    lines = bench.path("events.jsonl").read_bytes().count(b"\n")
    return bool(json.loads(checkpoint.read_bytes())["events"] == lines)


@pytest.mark.req("G-01")
def test_what_a_killed_verification_changed_is_thrown_away(bench: Bench) -> None:
    judge = 'type=verification, verification.required_commands="sh wait.sh"'
    body = TWO_STAGES.replace('type=tool, tool_command="sh wait.sh"', judge)
    leave_in_b(bench, signal.SIGKILL, body)
    assert bench.path("workspace/half.txt").exists()
    resume_with_go(bench)
    assert not bench.path("workspace/half.txt").exists()
    assert not bench.path("workspace/started").exists()
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()


@pytest.mark.req("P-11")
def test_a_killed_run_goes_on_where_it_was(bench: Bench) -> None:
    assert leave_in_b(bench, signal.SIGKILL) == -signal.SIGKILL
    before = bench.events()
    bench.path("workspace/half.txt").write_text("worse")
    (bench.path("workspace") / "a.txt").unlink()
    resume_with_go(bench)
    after = bench.events()
    assert after[: len(before)] == before
    assert after[len(before)] == "RunResumed"
    assert after.count("StageStarted a") == after.count("StageStarted b") == 1
    resumed = next(fact for fact in bench.facts() if isinstance(fact, RunResumed))
    assert set(resumed.restored) == {"a.txt", "half.txt", "started"}
    assert bench.path("workspace/a.txt").exists()
    assert bench.path("nodes/b/1.1.lost.1").is_dir()


def resume_with_go(bench: Bench) -> None:
    """Resume a run whose stage b ends at once when there is a file called go."""
    path = bench.runsdir / "r1" / "workspace" / "wait.sh"
    assert path.read_text() == WAIT
    os.environ["PATH"] = f"{fake_sleep(bench)}:{os.environ['PATH']}"
    try:
        result = api.resume("r1", runsdir=str(bench.runsdir))
    finally:
        os.environ["PATH"] = os.environ["PATH"].partition(":")[2]
    assert result.summary.status == "PASS"


def fake_sleep(bench: Bench) -> Path:
    """Return a folder with a sleep that does not."""
    folder = bench.home / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "sleep").write_text("#!/bin/sh\nexit 0\n")
    (folder / "sleep").chmod(0o755)
    return folder


def test_an_interrupted_run_ends_with_130_and_can_be_resumed(bench: Bench) -> None:
    assert leave_in_b(bench, signal.SIGINT) == 130
    assert isinstance(bench.facts()[-1], RunInterrupted)
    resume_with_go(bench)


def test_sigterm_is_an_interruption_too(bench: Bench) -> None:
    assert leave_in_b(bench, signal.SIGTERM) == 130
    resume_with_go(bench)


def test_an_ended_run_stays_as_it_is(bench: Bench) -> None:
    first = bench.run('a [prompt="x"]\nstart -> a -> done')
    files = {path: path.read_bytes() for path in bench.path("").rglob("*") if path.is_file()}
    again = api.resume("r1", runsdir=str(bench.runsdir))
    assert again.summary == first.summary
    assert files == {
        path: path.read_bytes() for path in bench.path("").rglob("*") if path.is_file()
    }


def test_a_run_id_that_exists_is_refused(bench: Bench) -> None:
    bench.run('a [prompt="x"]\nstart -> a -> done')
    with pytest.raises(RunExists, match="r1"):
        bench.run('a [prompt="x"]\nstart -> a -> done')


def test_one_writer_at_a_time(bench: Bench) -> None:
    bench.run('a [prompt="x"]\nstart -> a -> done')
    with RunDirectory.open(str(bench.path("")), write=True), pytest.raises(RunLocked):
        api.resume("r1", runsdir=str(bench.runsdir))


BEFORE = (
    'a [prompt="first"]\nb [prompt="second", test.outcome="fail"]\n'
    'c [prompt="third"]\nstart -> a -> b -> c -> done'
)
AFTER = BEFORE.replace('prompt="second", test.outcome="fail"', 'prompt="better"')


def test_a_changed_pipeline_is_refused_with_what_differs(bench: Bench) -> None:
    bench.run(BEFORE)
    changed = bench.pipeline(AFTER, name="changed.dot")
    with pytest.raises(PipelineChanged, match="b"):
        api.resume("r1", runsdir=str(bench.runsdir), pipeline=changed)


def test_a_changed_pipeline_reuses_what_is_unchanged(bench: Bench) -> None:
    assert bench.run(BEFORE).summary.status == "FAIL"
    changed = bench.pipeline(AFTER, name="changed.dot")
    result = api.resume("r1", runsdir=str(bench.runsdir), pipeline=changed, accept_change=True)
    assert result.summary.status == "PASS"
    replaced = next(fact for fact in bench.facts() if isinstance(fact, PipelineReplaced))
    assert replaced.reused == ("a", "start")
    entered = [fact.node for fact in bench.facts() if isinstance(fact, StageStarted)]
    assert entered == ["start", "a", "b", "c", "done", "b", "c", "done"]
    assert [row.node for row in result.summary.stages] == ["start", "a", "b", "c", "done"]
    assert bench.path("nodes/b/1.1/prompt.md").read_text() == "better\n"
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "PASS"


def test_another_pipeline_file_in_the_run_directory_is_noticed(bench: Bench) -> None:
    bench.run('a [prompt="x"]\nstart -> a -> done')
    shutil.copy(bench.pipeline('a [prompt="y"]\nstart -> a -> done'), bench.path("pipeline.dot"))
    with pytest.raises(JournalBroken, match=r"pipeline\.dot"):
        api.resume("r1", runsdir=str(bench.runsdir))


def test_lines_that_are_lost_are_noticed_and_nothing_is_run(bench: Bench) -> None:
    assert leave_in_b(bench, signal.SIGKILL) == -signal.SIGKILL
    journal = bench.path("events.jsonl")
    whole = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(whole[:-2]))
    with pytest.raises(JournalBroken, match=f"does not reach line {len(whole)}"):
        api.resume("r1", runsdir=str(bench.runsdir))
    assert journal.read_bytes() == b"".join(whole[:-2])


def test_a_checkpoint_that_is_gone_or_broken_is_no_obstacle(bench: Bench) -> None:
    leave_in_b(bench, signal.SIGKILL)
    bench.path("checkpoint.json").write_text("{half")
    resume_with_go(bench)


def test_visits_are_not_refreshed_by_resume(bench: Bench) -> None:
    loop = (
        'a [prompt="x", test.outcome="fail", max_visits=3]\nstart -> a\n'
        'a -> a [condition="outcome=fail"]\na -> done'
    )
    bench.run(loop)
    again = api.resume("r1", runsdir=str(bench.runsdir))
    assert again.summary.reason == "max_visits exceeded: a (3)"
    assert len(list(bench.path("nodes/a").iterdir())) == 3


GATED = (
    'a [type=tool, tool_command="touch a.txt"]\nb [type=tool, tool_command="touch b.txt"]\n'
    "start -> a -> b -> done"
)


def of_version_1_0(bench: Bench, *, lines: int | None = None) -> None:
    """Leave a run as an earlier release did, ended or after so many lines."""
    assert bench.run(GATED).summary.status == "PASS"
    assert "GatePassed a" in bench.events()
    journal = bench.path("events.jsonl")
    whole = as_version_1_0(journal.read_bytes()).splitlines(keepends=True)
    journal.write_bytes(b"".join(whole[:lines]))
    for view in (layout.CHECKPOINT, layout.MANIFEST, layout.PACKET, layout.PACKET_PAGE):
        bench.path(view).unlink()


def versions(bench: Bench, run_id: str = "r1") -> set[str]:
    lines = bench.path("events.jsonl", run_id).read_text().splitlines()
    return {json.loads(line)["schema_version"] for line in lines}


@pytest.mark.parametrize("lines", [None, 6, 8])
def test_a_run_goes_on_in_the_version_it_was_begun_with(bench: Bench, lines: int | None) -> None:
    of_version_1_0(bench, lines=lines)
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary.status == "PASS"
    assert versions(bench) == {"1.0"}
    assert not any(event.startswith("Gate") for event in bench.events())
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "PASS"


def test_so_does_a_fork(bench: Bench) -> None:
    of_version_1_0(bench)
    forked = api.fork("r1", "b", runsdir=str(bench.runsdir), run_id="r2")
    assert forked.summary.status == "PASS"
    assert versions(bench, "r2") == {"1.0"}
    assert api.verify("r2", runsdir=str(bench.runsdir)).mismatches == ()


def test_new_runs_keep_verdicts_when_they_are_resumed(bench: Bench) -> None:
    leave_in_b(bench, signal.SIGKILL)
    resume_with_go(bench)
    assert versions(bench) == {"1.5"}
    assert "GatePassed b" in bench.events()


def states(bench: Bench) -> dict[str, tuple[int, ...]]:
    """Return what tells of any write to a run directory: not even a file of the same bytes."""
    found: dict[str, tuple[int, ...]] = {}
    for path in [bench.path(""), *bench.path("").rglob("*")]:
        state = path.lstat()
        found[str(path)] = state.st_ino, state.st_mtime_ns, state.st_ctime_ns, state.st_size
    return found


ENDS = {
    "PASS": 'a [type=tool, tool_command="touch a.txt"] start -> a -> done',
    "FAIL": 'a [type=tool, tool_command="ls missing"] start -> a -> done',
}


@pytest.mark.req("G-15")
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
def test_whoever_tells_it_to_end_can_resume_it(bench: Bench, by: signal.Signals) -> None:
    assert leave_in_b(bench, by) == 130
    assert bench.facts()[-1] == RunInterrupted(reason=by.name)
    resume_with_go(bench)


@pytest.mark.req("G-25")
@pytest.mark.parametrize("status", ENDS)
def test_a_run_that_has_ended_is_not_written_to(bench: Bench, status: str) -> None:
    ended = bench.run(ENDS[status])
    assert ended.summary.status == status
    before = states(bench)
    assert api.resume("r1", runsdir=str(bench.runsdir)) == ended
    assert bench.run(ENDS[status], resume_existing=True) == ended
    assert states(bench) == before


@pytest.mark.req("G-25")
@pytest.mark.parametrize(
    "lost",
    ["manifest.json", "summary.json", "summary.md", "checkpoint.json", "trace.jsonl",
     "nodes/a/1.1/status.json", "the last tree", ".tmp.1.1"],
)  # fmt: skip
def test_an_end_that_was_cut_short_is_completed(bench: Bench, lost: str) -> None:
    bench.run(ENDS["PASS"])
    manifest = json.loads(bench.path("manifest.json").read_bytes())
    tree = manifest["final_workspace"]["sha256"]
    path = bench.path(f"blobs/{tree[:2]}/{tree}" if lost == "the last tree" else lost)
    if lost == ".tmp.1.1":
        path.write_text("half")
    else:
        path.unlink()
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary.status == "PASS"
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()


def test_a_line_after_the_end_is_not_taken_up(bench: Bench) -> None:
    bench.run('a [prompt="x"]\nstart -> a -> done')
    journal = bench.path("events.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(rechained([*lines, lines[1]], len(lines)))
    before = journal.read_bytes()
    with pytest.raises(JournalBroken, match="a line stands after the run's end"):
        api.resume(str(bench.path("")))
    assert journal.read_bytes() == before

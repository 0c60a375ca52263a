"""Commands that look at a run and change nothing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.shell import WAITING, Shell

REFUSED = """
digraph refused {
    start [shape=Mdiamond]
    work  [prompt="Work.", allowed_write_paths="other.txt"]
    done  [shape=Msquare]
    start -> work -> done
}
"""


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "words",
    [
        ["show", "r1"],
        ["show", "r1", "write"],
        ["log", "r1"],
        ["log", "r1", "-f"],
        ["diff", "r1"],
        ["diff", "r1", "write"],
        ["replay", "r1"],
        ["verify", "r1"],
        ["runs"],
    ],
)
def test_nothing_is_written(sample: Shell, words: list[str]) -> None:
    before = tree(sample.folder)
    assert sample(*words).code == 0
    asked = sample(*words, "--json")
    assert asked.code == 0
    assert (
        [json.loads(line) for line in asked.out.splitlines()] if words[0] == "log" else asked.data
    )
    assert tree(sample.folder) == before


@pytest.mark.parametrize("name", ["r1", "r", "last", ".custody/runs/r1"])
def test_a_run_has_many_names(sample: Shell, name: str) -> None:
    assert sample("show", name).out.startswith("PASS  greeting  run r1\n")


def test_no_such_run(sample: Shell) -> None:
    done = sample("show", "r9", "--json")
    assert (done.code, done.data["error_type"]) == (1, "RUN_NOT_FOUND")


def test_show_lists_the_stages_and_where_their_evidence_is(sample: Shell) -> None:
    page = sample("show", "r1").out
    assert "check  tool      fail " in page
    assert "nodes/check/1.1  tool_exit_code_1\n" in page
    assert "evidence: .custody/runs/r1\n" in page


@pytest.mark.req("P-12")
def test_show_has_the_prompt_as_it_was_sent_and_the_response(sample: Shell) -> None:
    page = sample("show", "r1", "write", "--attempt", "1.1").out
    folder = sample.folder / ".custody/runs/r1/nodes/write/1.1"
    assert f"── prompt.md\n{(folder / 'prompt.md').read_text()}" in page
    assert f"── response.md\n{(folder / 'response.md').read_text()}" in page
    assert "── changed: 1 path\nadded    greeting.txt\n" in page
    assert "── all 2 attempts\n1.1    success\n2.1    success\n" in page
    last = sample("show", "r1", "write", "--json").data
    assert last["shown"]["visit"] == 2
    assert "What failed last time" in last["texts"]["prompt.md"]


def test_show_says_when_evidence_was_tampered_with(sample: Shell) -> None:
    long = "x" * 10_000
    pipeline = sample.folder / "pipeline.dot"
    pipeline.write_text(pipeline.read_text().replace("into greeting.txt.", long))
    assert sample("run", "pipeline.dot", "--run-id", "r2").code == 0
    (sample.folder / ".custody/runs/r2/nodes/write/1.1/prompt.md").write_text("nothing")
    page = sample("show", "r2", "write", "--attempt", "1.1")
    assert page.code == 0
    assert "── prompt.md: cannot be read: " in page.out


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["r1", "nowhere"], "run r1 has no stage 'nowhere'"),
        (["r1", "write", "--attempt", "7.1"], "'write' had no attempt '7.1'"),
        (["r1", "--attempt", "1.1"], "--attempt needs a stage"),
    ],
)
def test_show_of_what_is_not_there(sample: Shell, words: list[str], what: str) -> None:
    done = sample("show", *words)
    assert done.code == 1
    assert done.err.startswith(f"error: {what}\n  hint: ")


def test_log_is_the_journal(sample: Shell) -> None:
    journal = (sample.folder / ".custody/runs/r1/events.jsonl").read_text()
    assert sample("log", "r1", "--json").out == journal
    assert len(sample("log", "r1").out.splitlines()) == journal.count("\n")


def test_log_follows_a_run_to_its_end(custody: Shell) -> None:
    custody.write("waiting.dot", WAITING)
    with custody.start(
        "run", "waiting.dot", "-v", "--run-id", "r1", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stderr is not None
        run.stderr.readline()
        with custody.start("log", "r1", "-f", stdout=subprocess.PIPE) as log:
            assert log.stdout is not None
            seen = [log.stdout.readline() for _ in range(5)]
            assert "StageStarted        wait" in seen[-1]
            run.terminate()
            assert run.wait(60) == 130
            rest, _ = log.communicate(timeout=60)
    assert log.returncode == 0
    assert "RunInterrupted" in rest
    run.communicate()


def test_diff_is_a_patch(sample: Shell, tmp_path: Path) -> None:
    patch = sample("diff", "r1").out
    assert patch.splitlines()[-1] == "+hello, world"
    target = tmp_path / "target"
    target.mkdir()
    subprocess.run(["git", "apply", "-"], input=patch, cwd=target, text=True, check=True)
    assert (target / "greeting.txt").read_text() == "hello, world\n"


def test_diff_of_a_stage_has_every_attempt(sample: Shell) -> None:
    assert sample("diff", "r1", "write", "--names").out.splitlines() == [
        "added    greeting.txt  nodes/write/1.1",
        "modified greeting.txt  nodes/write/2.1",
    ]
    assert sample("diff", "r1", "check").out == "nothing was changed\n"
    assert sample("diff", "r1", "nowhere").code == 1


def test_diff_as_json(sample: Shell) -> None:
    (change,) = sample("diff", "r1", "--json").data["changes"]
    assert (change["path"], change["change"], change["kept"]) == ("greeting.txt", "added", True)
    assert change["diff"].endswith("+hello, world")


@pytest.mark.req("P-05")
def test_a_refused_change_is_shown_as_undone(sample: Shell) -> None:
    sample.write("refused.dot", REFUSED)
    done = sample("run", "refused.dot", "--run-id", "r2")
    assert done.code == 1
    assert "greeting.txt" in done.out
    assert sample("diff", "r2").out == "nothing was changed\n"
    assert "(refused and undone)" in sample("diff", "r2", "work").out
    page = sample("show", "r2", "work").out
    assert "  refused: " in page
    assert "── changed: 1 path, refused and undone" in page


def test_runs_are_listed_the_newest_last(sample: Shell) -> None:
    sample("run", "pipeline.dot", "--run-id", "a2")
    (sample.folder / ".custody/runs/odd").mkdir()
    listed = sample("runs").out.splitlines()
    assert listed[0].split() == ["run", "status", "pipeline", "started", "goal"]
    assert {line.split()[0] for line in listed[1:]} == {"r1", "a2", "odd"}
    assert [row["run_id"] for row in sample("runs", "--json").data["runs"]][-2:] == ["r1", "a2"]
    assert next(line for line in listed if line.startswith("odd")).split()[1] == "BROKEN"


def test_no_runs_yet(custody: Shell) -> None:
    assert custody("runs").out == "there is no run yet\n"
    assert custody("runs", "--json").data == {"runs": []}


@pytest.mark.req("P-11")
def test_replay_agrees(sample: Shell) -> None:
    assert sample("replay", "r1").out.endswith("byte for byte; ends PASS\n")
    assert sample("replay", "r1", "--json").data["status"] == "PASS"


def test_verify_finds_what_was_changed(sample: Shell) -> None:
    assert sample("verify", "r1").out.startswith("PASS  run r1: ")
    (sample.folder / ".custody/runs/r1/summary.json").write_text("{}")
    done = sample("verify", "r1")
    assert done.code == 1
    assert "summary.json" in done.out.splitlines()[0]
    assert done.out.splitlines()[-1].startswith("FAIL  run r1: ")
    assert sample("verify", "r1", "--json").data["mismatches"]
    assert sample("verify", "r1", "--rebuild").code == 0
    assert sample("verify", "r1").code == 0


def test_fork_goes_its_own_way(sample: Shell) -> None:
    done = sample("fork", "r1", "check", "--run-id", "r2")
    assert done.code == 0
    assert done.out.startswith("PASS  greeting  run r2\n")
    assert sample("fork", "r1", "nowhere").code == 1
    assert sample("verify", "r2").code == 0

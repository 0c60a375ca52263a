"""Changing a repository from the command line."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from support.changing import BLOCK, LITE, Change, answers
from support.shell import Here


@pytest.fixture
def flow(tmp_path: Path) -> Change:
    return Change(tmp_path)


@pytest.fixture
def custody(flow: Change) -> Here:
    here = Here(flow.repo)
    here.environment |= {"XDG_DATA_HOME": str(flow.home / "data")}
    return here


def test_a_change_is_started_and_lands(flow: Change, custody: Here) -> None:
    words = ("change", "start", "Let add add", "--lite", LITE, "--agent", flow.book(answers()))
    done = custody(*words, "--run-id", "c", "--land", "adds")
    assert done.code == 0, done.err
    assert "landed: commit" in done.out
    assert (flow.home / "data/custody/repo/c/TRACE.md").exists()
    assert not (flow.repo / ".custody").exists()
    assert "a + b" in flow.git("show", "adds:src/calc.py")
    assert "Task: Let add add\n" in flow.git("log", "-1", "--format=%B", "adds")
    again = custody("change", "advance", "c")
    assert (again.code, again.out.splitlines()[-1]) == (0, done.out.splitlines()[-1])


@pytest.mark.parametrize(
    ("committed", "told"), [(True, "HEAD does not hold it"), (False, "the work tree is dirty")]
)
def test_one_that_passes_and_cannot_land_exits_with_1(
    flow: Change, custody: Here, committed: bool, told: str
) -> None:
    """By then the run has passed: its report is shown, and what keeps it from landing."""
    words = ("--lite", LITE, "--agent", flow.book(answers()), "--role", "fixer=manual_outbox")
    said = ("--role", "cost_controller=manual_outbox", "--land", "adds", "--run-id", "c")
    assert custody("change", "start", "Let add add", *words, *said).code == 3
    (flow.repo / "src/calc.py").write_text("# another\n")
    if committed:
        flow.git("commit", "-q", "-a", "-m", "meanwhile")
    review = flow.home / "data/custody/repo/c/reviews/review_cost.md"
    review.write_text("Verdict: APPROVE\n")
    done = custody("change", "advance", "c")
    assert done.code == 1
    assert "PASS" in done.out.splitlines()[0]
    assert "not landed: " in done.out
    assert told in " ".join(done.out.split())
    assert flow.git("branch", "--list", "adds") == ""
    told_again = json.loads(custody("change", "advance", "c", "--json").out)
    assert told_again["run"]["summary"]["status"] == "PASS"


def test_the_commands_of_the_repository_judge_where_no_others_are_named(
    flow: Change, custody: Here
) -> None:
    (flow.repo / "custody.toml").write_text(f'[change]\nlite = ["{LITE}"]\nfull = ["false"]\n')
    said = answers()
    for node in ("draft", "plan"):
        said[node][0]["text"] = said[node][0]["text"].replace("lite,", "lite, full,")
    words = ("change", "start", "g", "--agent", flow.book(said), "--runsdir", str(flow.runs))
    done = custody(*words, "--full", "python3 -c 'assert True'", "--run-id", "c")
    assert done.code == 0, done.out + done.err
    assert custody(*words, "--run-id", "own").code == 1
    report = json.loads((flow.runs / "own/artifacts/verify_report.json").read_text())
    assert (report["gate"], report["commands"]) == ("full", [{"cmd": "false", "exit_code": 1}])


def test_one_that_exists_is_gone_on_with_by_advance(custody: Here) -> None:
    words = ("change", "start", "g", "--lite", LITE, "--run-id", "c")
    assert custody(*words).code == 3
    done = custody(*words)
    assert done.code == 1
    assert "run c exists" in done.err
    assert "custody change advance" in done.err


def test_one_that_waits_exits_with_3_and_goes_on(flow: Change, custody: Here) -> None:
    done = custody("change", "start", "Let add add", "--lite", LITE, "--run-id", "c")
    assert done.code == 3
    run = flow.home / "data/custody/repo/c"
    assert custody("change", "status", "c").code == 3
    (run / "artifacts/analysis.md").write_text("It subtracts.\n")
    done = custody("change", "advance", "c")
    assert done.code == 3
    assert "file_request/1.1 waits for a person" in done.out
    assert "next:     custody change advance " in done.out
    (flow.home / "analysis.md").write_text("x\n")
    words = ("--file", str(flow.home / "analysis.md"), "--runsdir", str(run.parent))
    answered = custody("answer", "file_request/1.1", *words)
    assert answered.out.splitlines()[-1].startswith("next: custody change advance c ")


def test_what_it_asks_is_found_and_answered_in_the_repository(flow: Change, custody: Here) -> None:
    assert custody("change", "start", "g", "--lite", LITE, "--run-id", "c").code == 3
    assert custody("inbox").out.splitlines()[1].startswith("c/analysis/1.1  ")
    (flow.repo / "mine.md").write_text("It subtracts.\n")
    done = custody("answer", "analysis/1.1", "--file", "mine.md")
    assert done.out.splitlines() == ["answered: analysis/1.1", "next: custody change advance c"]
    assert custody("change", "advance", "c").code == 3
    assert (flow.home / "data/custody/repo/c/artifacts/analysis.md").exists()
    assert custody("inbox", "--runsdir", "elsewhere").out == "nothing waits\n"


def test_the_prompt_says_how_it_is_answered(flow: Change, custody: Here) -> None:
    (flow.home / "a folder").mkdir()
    runs = str(flow.home / "a folder")
    words = ("change", "start", "g", "--lite", LITE, "--run-id", "c", "--runsdir", runs)
    assert custody(*words).code == 3
    prompt = (flow.home / "a folder/c/outbox/001_chair_analysis.md").read_text()
    (command,) = re.findall("`custody (answer .*)` hands", prompt)
    (flow.repo / "ANSWER").write_text("It subtracts.\n")
    done = custody(*shlex.split(command))
    assert done.code == 0, done.err
    assert done.out.startswith("answered: analysis/1.1")


def test_one_that_fails_names_its_bundle(flow: Change, custody: Here) -> None:
    agent = flow.book(answers(review_cost=BLOCK))
    done = custody("change", "start", "g", "--lite", LITE, "--agent", agent, "--run-id", "c")
    assert done.code == 1
    assert "too dear" in done.out
    assert "failure_bundle.zip" in done.out


def test_a_dirty_tree_is_refused_before_anything_is_asked(flow: Change, custody: Here) -> None:
    (flow.repo / "src/calc.py").write_text("dirty\n")
    done = custody("change", "start", "g", "--lite", LITE, "--agent", "fake", "--land", "adds")
    assert done.code == 1
    assert "dirty" in done.err
    assert not (flow.home / "data").exists()


def test_missing_documents_are_told_before_anything_is_asked(flow: Change, custody: Here) -> None:
    (flow.repo / "AGENTS.md").unlink()
    words = ("change", "start", "g", "--lite", LITE, "--run-id", "c")
    done = custody(*words)
    assert done.code == 1
    assert "mandatory documents are missing: AGENTS.md" in done.err
    assert "custody init --contracts" in done.err
    assert not (flow.home / "data").exists()
    (flow.home / "pack.json").write_text("{}")
    given = f"artifacts/context_pack.json={flow.home / 'pack.json'}"
    assert custody(*words, "--document", given).code == 3


def test_runs_do_not_lie_in_the_repository(flow: Change, custody: Here) -> None:
    words = ("change", "start", "g", "--lite", LITE, "--agent", "fake")
    done = custody(*words, "--runsdir", str(flow.repo / "runs"))
    assert done.code == 1
    assert "do not lie in the repository" in done.err


def test_a_plan_can_be_handed_in(flow: Change, custody: Here) -> None:
    said = answers()
    (flow.home / "plan.md").write_text(said.pop("plan")[0]["text"])
    words = ("change", "start", "g", "--lite", LITE, "--agent", flow.book(said))
    done = custody(*words, "--plan", str(flow.home / "plan.md"), "--run-id", "c")
    assert done.code == 0, done.out
    assert not (flow.home / "data/custody/repo/c/nodes/plan/1.1/prompt.md").exists()


@pytest.mark.parametrize("option", ["--plan", "--config"])
def test_a_file_that_is_not_there_is_told(custody: Here, option: str) -> None:
    done = custody("change", "start", "g", "--lite", LITE, option, "missing")
    assert done.code == 1
    assert option in done.err
    assert "at: missing" in done.err

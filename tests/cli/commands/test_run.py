from __future__ import annotations

from pathlib import Path

import pytest

from custody.cli.commands.run import variables
from custody.errors import UsageError
from support.shell import FAILING, Shell


def test_the_report_of_a_run_that_failed_begins_with_the_failure(custody: Shell) -> None:
    custody.write("failing.dot", FAILING)
    done = custody("run", "failing.dot", "--run-id", "r1")
    assert done.code == 1
    first, reason, blamed, *rest = done.out.splitlines()
    assert first == "FAIL  failing  run r1"
    assert reason.startswith("  ")
    assert blamed.startswith("  test: tool_exit_code_")
    assert any("missing" in line for line in rest[:8])
    assert "    evidence: .custody/runs/r1/nodes/test/1.1" in rest
    assert "next:     custody show r1 test" in rest


def test_json_holds_the_summary(sample: Shell) -> None:
    done = sample("run", "pipeline.dot", "--run-id", "r2", "--json")
    assert done.code == 0
    assert done.data["run_id"] == "r2"
    assert done.data["path"] == str(sample.folder / ".custody/runs/r2")
    assert done.data["summary"]["status"] == "PASS"
    assert done.data["summary"]["stages"][0]["node"] == "start"


def test_a_run_id_that_exists_is_refused_unless_resumed(sample: Shell) -> None:
    refused = sample("run", "pipeline.dot", "--run-id", "r1", "--json")
    assert (refused.code, refused.data["error_type"]) == (1, "RUN_EXISTS")
    assert sample("run", "pipeline.dot", "--run-id", "r1", "--resume").code == 0


def test_a_changed_pipeline_is_refused_unless_accepted(sample: Shell) -> None:
    pipeline = sample.folder / "pipeline.dot"
    pipeline.write_text(pipeline.read_text().replace("greeting {", "greeting { label=new;"))
    words = ("run", "pipeline.dot", "--run-id", "r1", "--resume")
    refused = sample(*words)
    assert refused.code == 1
    assert "hint: --accept-pipeline-change" in refused.err
    assert sample(*words, "--accept-pipeline-change").code == 0


def test_settings_reach_the_run(sample: Shell, tmp_path: Path) -> None:
    sample.write("custody.toml", 'runsdir = "elsewhere"\nagent = "stub"\n')
    assert sample("run", "pipeline.dot", "--run-id", "r2").code == 1, "the stub writes nothing"
    assert (tmp_path / "elsewhere/r2/manifest.json").exists()
    by_flag = ("--runsdir", "flag", "--agent", "fake:answers.json", "--set", "name=you")
    done = sample("run", "pipeline.dot", "--run-id", "r3", *by_flag)
    assert done.code == 0
    assert "next:     custody diff flag/r3" in done.out
    assert "hello to you" in sample("show", "flag/r3", "write").out


def test_the_environment_comes_before_the_file(sample: Shell, tmp_path: Path) -> None:
    done = sample("run", "pipeline.dot", "--run-id", "r2", CUSTODY_RUNSDIR="other")
    assert done.code == 0
    assert (tmp_path / "other/r2").is_dir()


@pytest.mark.parametrize("words", [["name"], ["=x"], ["a=1", "a=2"]])
def test_what_is_no_variable_is_wrong_usage(words: list[str]) -> None:
    with pytest.raises(UsageError):
        variables(words)


def test_a_value_may_hold_anything() -> None:
    assert variables(["a=b=c", "d="]) == {"a": "b=c", "d": ""}


@pytest.mark.parametrize("words", [["--resume"], ["--run-id", "x", "--accept-pipeline-change"]])
def test_options_that_contradict_each_other(custody: Shell, words: list[str]) -> None:
    done = custody("run", "pipeline.dot", *words)
    assert done.code == 1
    assert " needs --" in done.err

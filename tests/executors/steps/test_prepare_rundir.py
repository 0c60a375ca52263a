"""The step that makes the folder of a job ready."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from custody.executors.commands import CommandRunner
from custody.executors.steps import carry_out
from custody.model import layout
from custody.model.request import Ack, StepRequest
from custody.skills.check import check_skill
from custody.skills.find import find_skill
from custody.skills.tools import EXECUTOR
from support.jobs import CONTRACT, SCRIPT, JobSite
from support.stages import StageSite

pytestmark = pytest.mark.req("S-02")


def runner() -> CommandRunner:
    raise AssertionError("no program is started here")


def prepare(place: StageSite, skill: Path, adapter: str = "local") -> tuple[Ack, Path]:
    stage = place.stage()
    request = StepRequest(
        id="a/1.1",
        timeout=1.0,
        step="prepare_rundir",
        settings={"skill": "count", "skill_path": str(skill), "cwd": "/d", "adapter": adapter},
        writes=(layout.JOB, layout.JOB_CONTRACT, f"{layout.SCRIPTS}/"),
    )
    return carry_out(request, stage, runner), Path(stage.run.path)


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "count"
    (folder / "templates").mkdir(parents=True)
    (folder / "contract.yaml").write_text(CONTRACT)
    (folder / "templates" / "run.tcl").write_text(SCRIPT)
    (folder / "templates" / "more.tcl").write_text("set more 1\n")
    (folder / "templates" / "notes.txt").write_text("not for the tool\n")
    return folder


def test_every_folder_and_script_is_there(place: StageSite, skill: Path) -> None:
    ack, run = prepare(place, skill)
    for folder in ("queue", "ack", "scripts", "reports", "session"):
        assert (run / folder).is_dir()
    scripts = {path.name: path.read_bytes() for path in (run / "scripts").iterdir()}
    assert scripts == {
        "bootstrap.tcl": Path(EXECUTOR).read_bytes(),
        "more.tcl": b"set more 1\n",
        "run.tcl": SCRIPT.encode(),
        "run_count.tcl": SCRIPT.encode(),
    }
    assert (run / layout.JOB_CONTRACT).read_text() == CONTRACT
    job = json.loads((run / layout.JOB).read_text())
    assert (job["tool"], job["scripts"][0]["script"]) == ("tclsh", "scripts/run_count.tcl")
    assert "^Error:" in job["error_patterns"]
    assert ack.context_updates["job.skill"] == {
        "name": "count",
        "version": "1.2.0",
        "subskill_path": str(skill),
    }
    assert ack.context_updates["job.hints"] == ["look at reports/cells.rpt", "look at the design"]


@pytest.mark.req("S-18")
@pytest.mark.parametrize(
    ("tool", "adapter", "version"),
    [
        ("innovus", "dsub-i", "1.0"),
        ("innovus", "local", "1.1"),
        ("opensta", "dsub-i", "1.1"),
        ("none at all", "dsub-i", "1.0"),
    ],
)
def test_the_manifest_is_of_the_version_that_knows_tool_and_launcher(
    place: StageSite, skill: Path, tool: str, adapter: str, version: str
) -> None:
    (skill / "contract.yaml").write_text(CONTRACT.replace("tclsh", tool))
    ack, _ = prepare(place, skill, adapter)
    assert ack.context_updates["job.schema"] == version


def test_a_contract_that_is_wrong_is_kept_as_it_is(place: StageSite, skill: Path) -> None:
    (skill / "contract.yaml").write_text("tool: make\n")
    ack, run = prepare(place, skill)
    assert ack.status == "ok"  # a gate judges it
    assert (run / layout.JOB_CONTRACT).read_text() == "tool: make\n"
    assert json.loads((run / layout.JOB).read_text())["skill"]["version"] == "unknown"
    assert not [*(run / "scripts").iterdir()]


def test_what_is_missing_is_written_down(place: StageSite, skill: Path) -> None:
    (skill / "templates" / "run.tcl").unlink()
    _, run = prepare(place, skill)
    problems = json.loads((run / layout.JOB).read_text())["problems"]
    assert problems == ["templates/run.tcl: the script cannot be read: there is no such file"]


def test_nothing_takes_the_place_of_the_executor(place: StageSite, skill: Path) -> None:
    (skill / "templates" / "bootstrap.tcl").write_text("puts mine\n")
    _, run = prepare(place, skill)
    (problem,) = json.loads((run / layout.JOB).read_text())["problems"]
    assert problem.startswith("templates/bootstrap.tcl: a job writes a script of its own")
    assert not [*(run / "scripts").iterdir()]


def test_files_may_have_the_names_that_an_installer_gives_them(
    place: StageSite, skill: Path, tmp_path: Path
) -> None:
    for number, path in enumerate([*skill.glob("*.yaml"), *skill.glob("templates/*.tcl")]):
        os.link(path, tmp_path / f"cached_{number}")
    _, run = prepare(place, skill)
    assert json.loads((run / layout.JOB).read_text())["problems"] == []
    assert (run / "scripts" / "more.tcl").read_text() == "set more 1\n"


def test_a_skill_without_a_contract(place: StageSite, tmp_path: Path) -> None:
    _, run = prepare(place, tmp_path / "gone")
    assert not (run / layout.JOB_CONTRACT).exists()
    assert json.loads((run / layout.JOB).read_text())["tool"] == ""


def own_executor(skill: Path) -> None:
    (skill / "templates" / "bootstrap.tcl").write_text("puts mine\n")


def a_link(skill: Path) -> None:
    (skill / "templates" / "lib.tcl").symlink_to("/etc/passwd")


def no_text_for_a_name(skill: Path) -> None:
    (skill / "templates" / "lib\udcff.tcl").write_text("set more 1\n")


def another_name(skill: Path) -> None:
    (skill / "contract.yaml").write_text(CONTRACT.replace("name: count", "name: other"))


@pytest.mark.req("S-12", "S-15")
@pytest.mark.parametrize("spoil", [own_executor, a_link, no_text_for_a_name, another_name])
def test_what_the_check_of_a_skill_refuses_is_not_run(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    site = JobSite(tmp_path)
    spoil(site.skill)
    (refused,) = [
        found
        for found in check_skill(find_skill(str(site.skill))).findings
        if found.severity == "error"
    ]
    job = site.run()
    assert job.verdict == ("FAIL", "CONTRACT_INVALID")
    assert job.manifest["message"] == f"{refused.file}: {refused.message}"
    assert job.states("STATE_ENTER") == ["INIT", "PREPARE_RUNDIR", "SUMMARIZE", "FAIL"]

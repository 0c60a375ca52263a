"""The packaged skills, each in its real tool."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from custody.model.skill.metric import disbelieved
from custody.skills.check import check_skill
from custody.skills.find import Skill, all_skills, find_skill, library
from support.programs import needs
from support.shell import Here
from support.skill_trial import Judged, SkillTrial, skip_without

PACKAGED = [skill for skill in all_skills() if skill.packaged]
MOCK = Path(library())
DESIGNS = {"summary_health": "counter", "synthesis": "counter", "layout_check": "inverter"}
TOOLS_OF = {"summary_health": "opensta", "synthesis": "yosys", "layout_check": "magic"}


def tried(home: Path, skill: str) -> SkillTrial:
    """Run a packaged skill on a copy of its mock design."""
    design = home / "design"
    shutil.copytree(MOCK / skill / "mock", design)
    trial = SkillTrial(home / "run", skill, design / f"{DESIGNS[skill]}.enc")
    trial.run()
    return trial


@pytest.mark.req("S-12")
@pytest.mark.parametrize("skill", PACKAGED, ids=lambda skill: str(skill.name))
def test_every_packaged_skill_passes_the_check(skill: Skill) -> None:
    checked = check_skill(skill)
    assert checked.findings == ()
    assert checked.contract is not None
    assert checked.contract.schema_version == "1.1"
    assert checked.contract.error_patterns
    assert all(rule.description for rule in checked.contract.metrics.values())
    page = Path(skill.path, "README.md").read_text()
    assert f"custody skill run {skill.name} " in page


def test_the_library_and_what_it_comes_to_are_small_and_our_own() -> None:
    files = sorted(MOCK.glob("*/mock/*/tiny.lib"))
    assert len(files) == 2
    texts = {file.read_text() for file in files}
    assert len(texts) == 1, "both skills have the same"
    (text,) = texts
    assert len(text) <= 8 << 10
    assert "custody's own" in text.splitlines()[0]


@pytest.mark.req("S-14")
@pytest.mark.parametrize("skill", DESIGNS)
def test_a_skill_runs_in_its_tool_and_twice_the_same(skill: str, tmp_path: Path) -> None:
    first, second = (tried(tmp_path / name, skill) for name in ("a", "b"))
    assert first.judged() == Judged(), first.said()
    assert second.metrics == first.metrics
    assert all(
        disbelieved(rule, first.metrics[name]) == ""
        for name, rule in first.contract.metrics.items()
    )
    assert first.metrics.keys() == first.contract.metrics.keys()
    for report in (one.path for one in first.contract.outputs.required if "*" not in one.path):
        name = report.removeprefix("reports/")
        assert first.report(name) == second.report(name)


def test_the_figures_of_opensta_are_its_own(tmp_path: Path) -> None:
    trial = tried(tmp_path, "summary_health")
    script = tmp_path / "own.tcl"
    script.write_text(
        "source counter.enc\nreport_worst_slack -digits 6\nreport_tns -digits 6\n"
        "report_wns -digits 6\n"
    )
    said = subprocess.run(
        ["sta", "-no_init", "-no_splash", "-exit", str(script)],
        cwd=tmp_path / "design", capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    own = dict(re.findall(r"^(worst slack|tns|wns) (\S+)$", said, re.MULTILINE))
    found = trial.metrics
    assert float(own["worst slack"]) == pytest.approx(found["worst_slack"], abs=1e-6)
    assert (float(own["tns"]), float(own["wns"])) == (found["tns"], found["wns"])
    assert (found["unconstrained"], found["clocks"]) == (0, 1)


@needs("yosys")
def test_the_area_of_opensta_is_that_of_yosys(tmp_path: Path) -> None:
    health = tried(tmp_path / "health", "summary_health").metrics
    data = tmp_path / "health/design/counter.enc.dat"
    said = subprocess.run(
        ["yosys", "-Q", "-T", "-p", "read_verilog counter.v; stat -liberty tiny.lib"],
        cwd=data, capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    cells = re.findall(r"Number of cells: +(\d+)", said)[-1]
    area = re.findall(r"Chip area for .*: ([0-9.]+)", said)[-1]
    assert (health["cells"], health["area"]) == (int(cells), float(area))


@needs("sta")
def test_what_is_synthesized_is_what_is_timed(tmp_path: Path) -> None:
    """The netlist of `synthesis` goes on to `summary_health`, and both agree on it."""
    made = tried(tmp_path / "made", "synthesis")
    assert (made.metrics["unmapped"], made.metrics["problems"]) == (0, 0)
    design = tmp_path / "timed/design"
    shutil.copytree(MOCK / "summary_health/mock", design)
    (design / "counter.enc.dat/counter.v").write_text(made.report("netlist.v"))
    timed = SkillTrial(tmp_path / "timed/run", "summary_health", design / "counter.enc")
    timed.run()
    assert timed.judged() == Judged(), timed.said()
    for name in ("cells", "area"):
        assert timed.metrics[name] == made.metrics[name]


def test_unconstrained_ends_are_counted_and_slack_is_lost_with_the_period(tmp_path: Path) -> None:
    design = tmp_path / "design"
    shutil.copytree(MOCK / "summary_health/mock", design)
    (design / "counter.enc.dat/counter.sdc").write_text(
        "create_clock -name clk -period 0.5 [get_ports clk]\n"
    )
    trial = SkillTrial(tmp_path / "run", "summary_health", design / "counter.enc")
    trial.run()
    assert trial.judged() == Judged(), trial.said()
    found = trial.metrics
    assert found["unconstrained"] == 9
    assert found["wns"] == found["worst_slack"] < 0
    assert found["tns"] < found["wns"]


def test_a_rule_that_is_broken_is_found_by_magic(tmp_path: Path) -> None:
    design = tmp_path / "design"
    shutil.copytree(MOCK / "layout_check/mock", design)
    cell = design / "inverter.enc.dat/inverter.mag"
    cell.write_text(
        cell.read_text().replace("<< polysilicon >>", "<< polysilicon >>\nrect 30 0 31 10", 1)
    )
    trial = SkillTrial(tmp_path / "run", "layout_check", design / "inverter.enc")
    trial.run()
    assert trial.judged() == Judged(), trial.said()
    assert (trial.metrics["drc_errors"], trial.metrics["devices"]) == (1, 2)
    assert "Polysilicon width must be at least 2" in trial.report("drc.rpt")


@pytest.mark.req("S-12", "S-14")
@pytest.mark.parametrize("skill", DESIGNS)
def test_a_job_of_a_packaged_skill_passes(skill: str, tmp_path: Path) -> None:
    skip_without(TOOLS_OF[skill])
    shutil.copytree(MOCK / skill / "mock", tmp_path, dirs_exist_ok=True)
    here = Here(tmp_path)
    done = here("skill", "run", skill, "--design", DESIGNS[skill], "--run-id", "j1")
    assert done.code == 0, done.out + done.err
    summary = json.loads((tmp_path / ".skillpilot/runs/j1/summary.json").read_text())
    assert summary["status"] == "PASS"
    contract = check_skill(find_skill(skill)).contract
    assert contract is not None
    assert summary["metrics"].keys() == contract.metrics.keys()


@needs("sta")
@needs("yosys")
def test_the_flow_is_over_in_seconds(tmp_path: Path) -> None:
    began = time.monotonic()
    tried(tmp_path / "made", "synthesis")
    tried(tmp_path / "timed", "summary_health")
    assert time.monotonic() - began < 20, "it takes less than one on a machine with nothing else"


STAND_INS = Path(__file__).parent / "innovus.tcl"


@needs("tclsh")
def test_the_skill_for_innovus_reads_what_its_documents_show(tmp_path: Path) -> None:
    """Innovus is not at hand: its commands are stood in for, by the words of their documents."""
    (tmp_path / "reports").mkdir()
    script = MOCK / "summary_health_innovus/templates/run.tcl"
    subprocess.run(
        ["tclsh", str(STAND_INS), str(script)],
        cwd=tmp_path, check=True, timeout=60, env={"PATH": "/usr/bin", "SP_REPORTS_DIR": "reports"},
    )  # fmt: skip
    told = (tmp_path / "reports/metrics").read_text().split()
    assert dict(zip(told[::2], told[1::2], strict=True)) == {
        "cells": "147", "area": "292.500000", "worst_slack": "-0.025000", "wns": "-0.025000",
        "tns": "-0.040000", "unconstrained": "9",
    }  # fmt: skip

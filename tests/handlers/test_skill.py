"""The states of a skill job, as the packaged pipeline has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody import api
from custody.errors import PipelineInvalid
from custody.handlers.skill import SkillHandler
from custody.model.event import GateFailed, GatePassed, RouteChosen, StageStarted
from custody.model.request import StepRequest
from support.bench import Bench
from support.jobs import CONTRACT, SCRIPT, STATES, JobSite

pytestmark = pytest.mark.timeout(120)


@pytest.mark.req("S-05")
def test_the_nodes_are_the_documented_states() -> None:
    assert [*api.load("skill_job").nodes] == [*STATES, "FAIL"]
    assert api.check("skill_job")[1] == ()


def test_each_state_asks_for_a_step_and_gates_judge_it(tmp_path: Path) -> None:
    job = JobSite(tmp_path).run()
    asked = [
        (fact.node, fact.request.step)
        for fact in job.facts()
        if isinstance(fact, StageStarted) and isinstance(fact.request, StepRequest)
    ]
    assert asked == [
        ("PREPARE_RUNDIR", "prepare_rundir"),
        ("LOCATE_DB", "locate_db"),
        ("START_SESSION", "start_session"),
        ("RESTORE_DB", "source_script"),
        ("RUN_SKILL", "source_script"),
        ("VALIDATE_OUTPUTS", "validate_outputs"),
        ("SUMMARIZE", "summarize"),
    ]
    judged = [fact.gate for fact in job.facts() if isinstance(fact, GatePassed | GateFailed)]
    gates = ["skill_contract", "located", "script_ack", "script_ack", "outputs", "metrics"]
    assert judged == gates


def test_a_script_has_the_time_that_the_contract_or_the_user_gives_it(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    timed = "    entry: templates/run.tcl\n    timeout_s: 90\n  - name: more\n"
    site.contract(
        CONTRACT.replace(
            "    entry: templates/run.tcl\n", f"{timed}    entry: templates/more.tcl\n"
        )
    )
    site.script(SCRIPT, "more")
    job = site.run(timeout=77)
    told = [line["data"] for line in job.timeline if line.get("data", {}).get("timeout_s")]
    assert [(one["script"], one["timeout_s"]) for one in told] == [
        ("scripts/restore_wrapper.tcl", 77.0),
        ("scripts/run_count.tcl", 90.0),
        ("scripts/more_count.tcl", 77.0),
    ]


def test_whatever_fails_goes_on_to_the_summary(tmp_path: Path) -> None:
    job = JobSite(tmp_path).run("gone")
    routes = [(f.node, f.route.target) for f in job.facts() if isinstance(f, RouteChosen)]
    assert routes[-2:] == [("LOCATE_DB", "SUMMARIZE"), ("SUMMARIZE", "FAIL")]


def test_only_the_states_with_a_tool_start_programs() -> None:
    nodes = api.load("skill_job").nodes
    starts = [node.id for node in nodes.values() if node.type == "skill" and starts_programs(node)]
    assert starts == ["START_SESSION", "RESTORE_DB", "RUN_SKILL", "SUMMARIZE"]


def starts_programs(node: object) -> bool:
    return SkillHandler().starts_programs(node, "")  # type: ignore[arg-type]


def test_a_step_that_there_is_not_is_found_before_anything_runs(bench: Bench) -> None:
    with pytest.raises(PipelineInvalid, match="dance"):
        bench.run("a [type=skill, step=dance]\nstart -> a -> done")


def test_a_state_without_the_one_before_it_is_refused(bench: Bench) -> None:
    result = bench.run("a [type=skill, step=restore_db]\nstart -> a -> done")
    told = "there is no scripts/restore_wrapper.tcl: a state before this one writes it"
    assert result.summary.unhandled == {"a": told}

"""The step that has the tool of a job source a script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody import api
from custody.errors import MalformedDocument
from custody.executors.commands import CommandRunner
from custody.executors.sessions import Sessions
from custody.executors.steps import StepWork, carry_out, recover
from custody.executors.steps.source_script import _published
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.record import encode_pretty
from custody.model.request import StepRequest
from custody.model.skill.job import JobRuntime, JobSkill, JobStart
from support.jobs import QUICK, SCRIPT, Job, JobSite
from support.stages import StageSite

pytestmark = [pytest.mark.req("S-06", "S-07"), pytest.mark.timeout(120)]
ID = "j1_0002_run"
JOB = JobStart(
    skill=JobSkill(name="count", version="1", subskill_path="/s"),
    runtime=JobRuntime(cwd="/d", run_dir="/d/j1", adapter="local"),
    tool="tclsh",
)


def runner() -> CommandRunner:
    raise AssertionError("no program is started here")


def request(**changed: str) -> StepRequest:
    script = Evidence.of_text("scripts/run_count.tcl", SCRIPT)
    settings = {
        "request_id": ID,
        "job_id": "j1",
        "script": script.path,
        "script_sha256": script.sha256,
        "tool": "tclsh",
        "restores": "",
        "more": "",
    }
    return StepRequest(
        id="RUN_SKILL/1.1",
        timeout=2.0,
        step="source_script",
        inputs={"job": Evidence.of_text(layout.JOB, encode_pretty(JOB).decode())},
        settings={**settings, **changed},
        writes=(f"queue/{ID}.json", f"ack/{ID}.json"),
    )


def test_a_request_has_the_fields_of_the_document_and_says_its_script(tmp_path: Path) -> None:
    job = JobSite(tmp_path).run()
    name = f"{job.path.name}_0002_run"
    asked = job.read(f"queue/{name}.json")
    assert asked.keys() == {
        *("schema_version", "request_id", "job_id", "action", "script", "timeout_s"),
        *("created_at", "script_sha256"),
    }
    assert (asked["action"], asked["script"]) == ("SOURCE_TCL", "scripts/run_count.tcl")
    assert asked["script_sha256"] == Evidence.of_text("x", SCRIPT).sha256
    boxed = job.path / "session/tool/1/box/queue" / f"{name}.json"
    assert boxed.read_bytes() == (job.path / "queue" / f"{name}.json").read_bytes()
    log = (job.path / "nodes/RUN_SKILL/1.1/tool.stdout.log").read_text()
    assert log.startswith(f"@@custody begin {name}\n")


def test_a_request_that_is_there_is_not_written_again(place: StageSite) -> None:
    """Case request-030: what stands there stays."""
    step = StepWork(request(), place.stage(), runner)
    first = _published(step)
    assert _published(step) == first
    other = StepWork(request(script="scripts/other.tcl"), step.stage, runner)
    with pytest.raises(MalformedDocument, match="another request stands there"):
        _published(other)
    assert Path(step.stage.run.path, f"queue/{ID}.json").read_bytes() == first


def test_a_link_in_its_place_is_refused(place: StageSite) -> None:
    """Case request-031."""
    stage = place.stage()
    queue = Path(stage.run.path, "queue")
    queue.mkdir()
    (queue / f"{ID}.json").symlink_to("/etc/shadow")
    with pytest.raises(Exception, match="symlink") as refused:
        _published(StepWork(request(), stage, runner))
    assert getattr(refused.value, "code", "") in {"symlink", "not_regular"}


def test_without_a_tool_there_is_nothing_to_ask(place: StageSite) -> None:
    stage = place.stage()
    none = Sessions(stage.run.root, {})
    assert recover(request(), stage, runner, lambda: none) is None
    ack = carry_out(request(), stage, runner, lambda: none)
    assert (ack.status, ack.failure_reason) == (
        "failed",
        "INNOVUS_CRASH: tclsh has ended: it is gone",
    )
    assert not Path(stage.run.path, "ack").exists()


def test_a_job_that_was_told_to_end_asks_nothing(place: StageSite) -> None:
    stage = place.stage()
    stage.run.write(layout.SESSION_STOP, b"by ann\n")
    none = Sessions(stage.run.root, {})
    ack = carry_out(request(), stage, runner, lambda: none)
    assert ack.failure_reason == "INTERNAL_ERROR: the job was told to stop: by ann"


def test_an_ack_that_is_there_stays(place: StageSite) -> None:
    """Case request-034: a process that was killed after the ack has published it for good."""
    stage = place.stage()
    step = StepWork(request(), stage, runner)
    _published(step)
    said = {
        "schema_version": "1.0",
        "request_id": ID,
        "job_id": "j1",
        "status": "FAIL",
        "error_type": "INNOVUS_CRASH",
        "message": "tclsh has ended: signal 9",
    }
    stage.run.root.create(f"ack/{ID}.json", json.dumps(said).encode())
    none = Sessions(stage.run.root, {})
    ack = carry_out(request(), stage, runner, lambda: none)
    assert ack.context_updates["job.ack"]["message"] == "tclsh has ended: signal 9"
    assert json.loads(Path(stage.run.path, f"ack/{ID}.json").read_text()) == said


@pytest.mark.req("S-15")
def test_a_tool_that_has_ended_said_why(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.script("puts {Error: no such net}\ninterp create c\nc eval {exit 3}")
    assert told(site.run()) == ("INNOVUS_CRASH", "tclsh has ended: exit code 3: Error: no such net")


@pytest.mark.req("S-15")
def test_a_tool_that_prints_too_much(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.own(QUICK + 'output = "64K"\n')
    site.script("puts [string repeat x 100000]\nafter 5000")
    error, said = told(site.run())
    assert error == "INNOVUS_CRASH"
    assert said == "tclsh has ended: it printed more than `output` of [skills.tools.tclsh] lets it"


def told(job: Job) -> tuple[str, str]:
    """Return what a job says that it has failed by."""
    return job.verdict[1], job.manifest["message"]


BETWEEN = """\
set cells 42
after 0 {
    while {[glob -nocomplain $env(SP_RUN_DIR)/ack/*_restore.json] eq ""} {after 1}
    BODY
}
"""
"""A design that does something once its ack was published, which it can see at L1."""


@pytest.mark.req("S-15")
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("puts {Error: lost}", "Error: lost"),
        ("puts stderr {Error: lost}", "Error: lost"),
        ("error lost", "@@custody an error in an event: lost"),
    ],
)
def test_an_error_between_two_requests_fails_the_second(
    tmp_path: Path, body: str, said: str
) -> None:
    site = JobSite(tmp_path)
    site.design("late", BETWEEN.replace("BODY", body))
    job = site.run("late", confinement="L1")
    assert job.verdict == ("FAIL", "CMD_FAIL")
    assert job.manifest["message"] == f"the log says: {said}"
    assert not api.replay(str(job.path)).divergence

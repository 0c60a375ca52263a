"""Whether a script has done its work, by its ack and its log."""

from __future__ import annotations

import json

import pytest

from custody.checks.gates.script_ack import ScriptAckGate
from custody.model import layout
from custody.model.record import encode_pretty
from custody.model.request import StepRequest
from custody.model.skill.job import JobRuntime, JobSkill, JobStart
from support.cases import case

JOB = JobStart(
    skill=JobSkill(name="count", version="1", subskill_path="/s"),
    runtime=JobRuntime(cwd="/d", run_dir="/d/r", adapter="local"),
    tool="tclsh",
    error_patterns=("^Error:",),
)
LOG = "@@custody begin j_0001_run\n{}@@custody end j_0001_run\n"


def judged(*, status: str = "PASS", said: str = "", restores: str = "") -> list[str]:
    ack = {"request_id": "j_0001_run", "job_id": "j", "status": status, "token": 1}
    request = StepRequest(
        id="RUN_SKILL/1.1",
        timeout=1.0,
        step="source_script",
        settings={"request_id": "j_0001_run", "restores": restores},
    )
    stdout, stderr = layout.streams("tool")
    files = {
        layout.session_ack("tool"): json.dumps({**ack, "message": "no such net"}),
        stdout: LOG.format(said),
        stderr: LOG.format(""),
    }
    documents = {layout.JOB: encode_pretty(JOB)}
    found = ScriptAckGate().judge(case(files, request=request, documents=documents))
    return [verdict.reason for verdict in found]


def test_a_script_that_has_passed() -> None:
    assert judged() == []


@pytest.mark.req("S-15")
def test_one_that_has_failed() -> None:
    assert judged(status="FAIL") == ["CMD_FAIL: no such net"]
    assert judged(status="FAIL", restores="true") == ["RESTORE_FAIL: no such net"]


def test_an_error_in_the_log_is_one_whatever_the_ack_says() -> None:
    assert judged(said="Error: no cell\n") == ["CMD_FAIL: the log says: Error: no cell"]


def test_an_attempt_that_asked_for_no_script() -> None:
    found = [verdict.reason for verdict in ScriptAckGate().judge(case())]
    assert found == ["INTERNAL_ERROR: no script was asked for"]

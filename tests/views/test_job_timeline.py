"""The timeline of a job."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from support.jobs import STATES, JobSite

pytestmark = [pytest.mark.req("S-05"), pytest.mark.timeout(120)]
ACTIONS = (
    "prepare_rundir", "locate_db", "start_session", "submit_request", "receive_ack",
    "submit_request", "receive_ack", "validate_outputs", "summarize",
)  # fmt: skip


def test_every_state_is_entered_and_left_and_every_action_told(tmp_path: Path) -> None:
    job = JobSite(tmp_path).run()
    assert job.states("STATE_ENTER") == [*STATES]
    assert job.states("STATE_EXIT") == [*STATES]
    actions = [line["data"]["action"] for line in job.timeline if line["event"] == "ACTION"]
    assert actions == [*ACTIONS]
    assert {line["level"] for line in job.timeline} == {"INFO"}
    times = [line["ts"] for line in job.timeline]
    assert all(before <= after for before, after in pairwise(times))
    assert {line["job_id"] for line in job.timeline} == {job.path.name}


def test_a_failure_is_told_where_it_was_and_at_the_end(tmp_path: Path) -> None:
    job = JobSite(tmp_path).run("gone")
    bad = [(line["event"], line["state"]) for line in job.timeline if line["level"] == "ERROR"]
    assert bad == [
        ("ACTION", "LOCATE_DB"),
        ("STATE_EXIT", "LOCATE_DB"),
        ("STATE_EXIT", "FAIL"),
        ("FAIL", "FAIL"),
    ]
    left = [line["data"] for line in job.timeline if line["event"] == "STATE_EXIT"]
    assert left[-1] == {"outcome": "fail", "error_type": "LOCATOR_FAIL"}
    last = job.timeline[-1]
    assert last["data"] == {"error_type": "LOCATOR_FAIL"}
    assert last["message"].startswith("there is no gone.enc")


def test_an_ack_that_says_fail_is_an_error(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.script("error {no such net}\n")
    job = site.run()
    acks = [line for line in job.timeline if line.get("data", {}).get("action") == "receive_ack"]
    assert [(line["level"], line["data"]["error_type"]) for line in acks] == [
        ("INFO", "OK"),
        ("ERROR", "CMD_FAIL"),
    ]

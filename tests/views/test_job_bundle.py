"""The bundle of a job that failed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.jobs import CONTRACT, JobSite

pytestmark = [pytest.mark.req("S-16"), pytest.mark.timeout(120)]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    site = JobSite(tmp_path)
    site.script("puts {about to fail}\nerror {no such net}\n")
    job = site.run()
    away = tmp_path / "away"
    (job.path / "debug_bundle").rename(away)
    return away


def test_it_explains_the_failure_somewhere_else(bundle: Path) -> None:
    index = json.loads((bundle / "index.json").read_text())
    assert index["summary"] == "count: CMD_FAIL\nscripts/run_count.tcl:2: no such net"
    assert index["next_actions"][1:] == ["look at reports/cells.rpt", "look at the design"]
    ack = json.loads((bundle / index["pointers"]["last_fail_ack"]).read_text())
    assert (ack["status"], ack["message"]) == ("FAIL", "scripts/run_count.tcl:2: no such net")
    logs = {Path(path).name for path in index["pointers"]["session_logs"]}
    assert logs == {"supervisor.log", "state.json", "tclsh.stdout.log", "tclsh.stderr.log"}
    assert "about to fail" in (bundle / "session" / "tclsh.stdout.log").read_text()
    assert json.loads((bundle / "session" / "state.json").read_text())["state"] == "ENDED"
    assert (bundle / index["pointers"]["contract"]).read_text() == CONTRACT
    assert json.loads((bundle / "job_manifest.json").read_text())["status"] == "FAIL"
    timeline = (bundle / "job_timeline.jsonl").read_text().splitlines()
    assert json.loads(timeline[-1])["event"] == "FAIL"
    assert "custody skill rerun" in (bundle / "notes.txt").read_text()
    assert (bundle / "scripts" / "run_count.tcl").exists()


def test_a_job_that_failed_at_once_has_one_as_well(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.contract("")
    job = site.run()
    names = {path.name for path in (job.path / "debug_bundle").iterdir()}
    assert names == {
        *("index.json", "job_manifest.json", "job_timeline.jsonl", "reports_inventory.json"),
        *("notes.txt", "contract.yaml"),
    }
    index = job.read("debug_bundle/index.json")
    assert index["next_actions"] == [
        "`custody skill check` tells everything that is wrong with the skill"
    ]

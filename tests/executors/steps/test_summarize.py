"""The step that ends the tool of a job and keeps what explains how it went."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.executors.steps.summarize import TAIL_LINES, tail
from support.jobs import SCRIPT, JobSite
from support.processes import is_alive

pytestmark = pytest.mark.timeout(120)


@pytest.mark.req("S-16", "S-17")
def test_the_tool_has_ended_and_its_logs_are_kept(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.script("puts {hello from the tool}\n" + SCRIPT)
    job = site.run()
    state = job.read("logs/state.json")
    assert (state["state"], state["reason"]) == ("ENDED", "closed")
    assert not is_alive(state["pid"])
    assert "hello from the tool" in (job.path / "logs" / "tclsh.stdout.log").read_text()
    assert (job.path / "logs" / "supervisor.log").exists()
    listed = [one["path"] for one in job.read("docs/reports_inventory.json")["files"]]
    assert listed == ["reports/cells.rpt", "reports/metrics.json"]


def test_a_job_without_a_tool_is_summarized_as_well(tmp_path: Path) -> None:
    job = JobSite(tmp_path).run("gone")
    assert job.read("docs/reports_inventory.json")["files"] == []
    assert not (job.path / "logs").exists()


def test_of_a_long_log_the_end_is_kept() -> None:
    lines = [f"line {number}\n".encode() for number in range(3 * TAIL_LINES)]
    assert tail(b"".join(lines)) == b"".join(lines[-TAIL_LINES:])
    assert tail(b"no newline") == b"no newline"
    assert tail(b"") == b""

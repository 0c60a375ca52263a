"""The summary of a job, for programs and for people."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody import api
from support.jobs import SCRIPT, JobSite

pytestmark = [pytest.mark.req("S-14"), pytest.mark.timeout(120)]


def test_it_has_the_fields_of_the_document_beside_those_of_every_run(tmp_path: Path) -> None:
    job = JobSite(tmp_path).run()
    summary = job.read("summary.json")
    assert summary["job_id"] == summary["run_id"] == job.path.name
    assert summary["design"] == {
        "enc_path": f"{tmp_path}/design/top.enc",
        "enc_dat_path": f"{tmp_path}/design/top.enc.dat",
    }
    assert summary["skill"] == {"name": "count", "version": "1.2.0"}
    assert summary["evidence"] == {
        "run_dir": str(job.path),
        "summary_md": "summary.md",
        "reports_dir": "reports",
    }
    assert [row["node"] for row in summary["stages"]][-1] == "DONE"
    assert api.show(str(job.path)).summary == job.result.summary


def test_the_page_has_every_part(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    passed = (site.run().path / "summary.md").read_text()
    assert passed.startswith("# PASS: count 1.2.0\n")
    assert "- cells: 42\n" in passed
    assert "- reports: reports/\n" in passed
    site.script(SCRIPT.replace("$cells]", "0]"))
    failed = (site.run().path / "summary.md").read_text()
    parts = ("## Conclusion", "## Findings", "## Risks", "## Evidence")
    assert all(part in failed for part in parts)
    assert "- error_type: CMD_FAIL\n" in failed
    assert "- the gate metrics was not passed\n" in failed
    assert "- debug bundle: debug_bundle/\n" in failed

"""What a job says when it has ended."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from custody.cli.skill.report import job_result
from custody.skill import JobResult
from support.jobs import JobSite

pytestmark = pytest.mark.timeout(120)


def told(site: JobSite, design: str, *, quiet: bool = False, interrupted: str = "") -> list[str]:
    ended = JobResult(site.run(design).result, interrupted)
    result = job_result(ended, Namespace(quiet=quiet))
    assert result.exit_code == (130 if interrupted else None)
    assert result.status == ended.run.summary.status
    return [line.text.split()[0] for line in result.text]


def test_a_job_that_passed_says_what_it_measured(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    assert told(site, "top") == ["PASS", "cells:", "design:", "reports:", "evidence:"]
    assert told(site, "top", quiet=True) == ["PASS", "evidence:"]


def test_one_that_failed_says_why_and_where_the_bundle_is(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    assert told(site, "gone", quiet=True, interrupted="SIGINT") == [
        "FAIL",
        "there",
        "bundle:",
        "evidence:",
    ]

"""``custody skill rerun`` by the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.jobs import SCRIPT, JobSite

pytestmark = pytest.mark.timeout(120)


@pytest.mark.req("S-16")
def test_a_bundle_is_run_again_from_any_folder(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.script("error {no such net}\n")
    bundle = site.run().path / "debug_bundle"
    site.script(SCRIPT)
    with site.start("skill", "rerun", str(bundle), stdout=subprocess.PIPE) as process:
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out.startswith("PASS  count 1.2.0")


@pytest.mark.req("S-16")
def test_a_script_may_take_as_long_as_it_could(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.script("error {no such net}\n")
    failed = site.run(timeout=77.5)
    for job, words, seconds in (
        ("debug_bundle", (), 77.5),
        (".", (), 77.5),
        ("debug_bundle", ("--timeout", "33"), 33.0),
    ):
        with site.start("skill", "rerun", str(failed.path / job), *words) as process:
            assert process.wait(60) == 1
        asked = sorted((site.last() / "queue").iterdir())
        assert [json.loads(path.read_text())["timeout_s"] for path in asked] == [seconds, seconds]


def test_a_job_that_asked_for_nothing_is_run_again_too(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    bundle = site.run("bottom").path / "debug_bundle"
    site.design("bottom")
    with site.start("skill", "rerun", str(bundle)) as process:
        assert process.wait(60) == 0


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    words = ("skill", "rerun", str(tmp_path))
    with site.start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "holds no job" in err

"""A skill job, gathered from its journal."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from custody import api
from custody.model import layout
from custody.model.event import PipelineStarted
from custody.store.history import History
from custody.store.rundir import RunDirectory
from custody.views.collect import collected
from custody.views.job import JobAccount
from support.bench import Bench
from support.jobs import Job, JobSite

pytestmark = [pytest.mark.req("S-04"), pytest.mark.timeout(120)]


def account(job: Job, lines: int | None = None) -> JobAccount:
    """Return what the first lines of a journal tell of a job."""
    with RunDirectory.open(str(job.path), write=False) as run:
        history = History.read(run)
        found = collected(run.run_id, history.lines(last=lines), history.changes_of).job
        assert found is not None
        return found


def test_it_runs_until_it_has_ended(tmp_path: Path) -> None:
    job = JobSite(tmp_path).run()
    begun = account(job, 0).manifest()
    assert (begun.status, begun.error_type, begun.message) == ("RUNNING", "OK", "")
    assert begun.runtime.run_dir == str(job.path)
    assert begun.design.locator.query == "top"
    whole = account(job)
    assert (whole.status, whole.metrics, whole.tool) == ("PASS", {"cells": 42}, "tclsh")
    assert json.loads(json.dumps(job.manifest))["status"] == "PASS"


def test_the_first_failure_counts(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.script("error {no such net}\n")
    found = account(site.run())
    assert (found.status, found.error_type) == ("FAIL", "CMD_FAIL")
    assert found.message == "scripts/run_count.tcl:1: no such net"
    assert found.fail_ack.endswith("_0002_run")


@pytest.mark.parametrize("design", ["top", "gone"])
def test_its_documents_are_made_again_to_the_byte(tmp_path: Path, design: str) -> None:
    job = JobSite(tmp_path).run(design)
    names = [layout.JOB_MANIFEST, layout.JOB_TIMELINE, layout.SUMMARY, layout.SUMMARY_PAGE]
    names += [
        str(path.relative_to(job.path))
        for path in (job.path / layout.DEBUG_BUNDLE).rglob("*")
        if path.is_file()
    ]
    before = {name: (job.path / name).read_bytes() for name in names}
    for name in names:
        (job.path / name).write_bytes(b"")
    shutil.rmtree(job.path / layout.DEBUG_BUNDLE, ignore_errors=True)
    assert api.verify(str(job.path)).mismatches
    assert not api.verify(str(job.path), rebuild=True).mismatches
    assert {name: (job.path / name).read_bytes() for name in names} == before


def test_a_changed_document_is_noticed(tmp_path: Path) -> None:
    job = JobSite(tmp_path).run()
    path = job.path / layout.JOB_MANIFEST
    path.write_text(path.read_text().replace('"PASS"', '"FAIL"'))
    assert [one.where for one in api.verify(str(job.path)).mismatches] == [layout.JOB_MANIFEST]


def test_any_other_run_is_no_job(bench: Bench) -> None:
    bench.run("start -> done")
    assert isinstance(bench.facts()[0], PipelineStarted)
    assert not bench.path(layout.JOB_MANIFEST).exists()
    assert not bench.path(layout.JOB_TIMELINE).exists()

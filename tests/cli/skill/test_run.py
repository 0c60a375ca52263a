"""``custody skill run`` by the command line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from custody.model.record import decode
from support.jobs import JobSite

pytestmark = pytest.mark.timeout(120)


def run(site: JobSite, *words: str) -> tuple[int, str, str]:
    with site.start("skill", *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.req("S-01")
def test_the_verdict_comes_first_and_is_the_exit_code(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    code, out, err = run(site, "run", "count", "--design", "top", "--adapter", "local")
    assert (code, err) == (0, "")
    assert out.splitlines()[:3] == [
        f"PASS  count 1.2.0  job {site.last().name}",
        "  cells: 42",
        f"design:   {site.home}/top.enc",
    ]
    code, out, _ = run(site, "run", "count", "--design", "gone", "-q")
    assert code == 1
    assert out.splitlines()[0] == f"FAIL  LOCATOR_FAIL  count 1.2.0  job {site.last().name}"
    assert f"bundle:   .skillpilot/runs/{site.last().name}/debug_bundle" in out


def test_the_same_as_json(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    code, out, _ = run(site, "run", "count", "--design", "top", "--json")
    told = decode(out.encode(), dict, where="stdout")
    assert (code, told["job"]["status"], told["run"]["summary"]["metrics"]) == (
        0,
        "PASS",
        {"cells": 42},
    )


def test_progress_is_told_line_by_line_where_it_is_asked_for(tmp_path: Path) -> None:
    _, _, err = run(JobSite(tmp_path), "run", "count", "--design", "top", "-v")
    told = [line.split()[0] for line in err.splitlines()]
    assert [name for name in told if name.isupper()][:3] == ["INIT", "PREPARE_RUNDIR", "LOCATE_DB"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "count"), "no design is named"),
        (("run", "nothing", "--design", "top"), "no skill named 'nothing'"),
        (("run",), "SKILL is missing"),
        (("list", "--design", "top"), "list takes no --design"),
        (("list", "count"), "list takes no 'count'"),
        (("rerun",), "BUNDLE is missing"),
        (("run", "count", "--design", "top", "--cwd", "nowhere"), "nowhere' is no folder"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    site = JobSite(tmp_path)
    code, out, err = run(site, *words)
    assert (code, out) == (1, "")
    assert message in err
    assert not Path(site.runsdir).exists()


def test_a_job_that_exists_is_not_run_again(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    words = ("run", "count", "--design", "top", "--adapter", "local", "--run-id", "one")
    assert run(site, *words)[0] == 0
    code, out, err = run(site, *words)
    assert (code, out) == (1, "")
    assert "run one exists" in err
    assert f"hint: `custody resume {site.runsdir}/one` continues it" in err

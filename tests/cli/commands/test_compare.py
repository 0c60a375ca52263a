"""``custody compare``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.shell import Here
from support.skills import NEWEST

LEAST = """\
digraph least {
    start [shape=Mdiamond]
    echo  [type=tool, tool_command="echo hello"]
    done  [shape=Msquare]
    start -> echo -> done
}
"""


def put(folder: Path, run: str, **more: Any) -> None:
    """Put a job that has ended."""
    place = folder / ".skillpilot/runs" / run
    (place / "docs").mkdir(parents=True)
    (place / "docs/contract.yaml").write_text(NEWEST)
    told = {
        "schema_version": "1.0", "job_id": run, "run_id": run, "status": "PASS", "error_type": "OK",
        "skill": {"name": "summary_health", "version": "1.2.0"}, "active_seconds": 1.5, **more,
    }  # fmt: skip
    (place / "summary.json").write_text(json.dumps(told))


@pytest.fixture
def here(tmp_path: Path) -> Here:
    """Return a shell in a folder with three jobs."""
    put(tmp_path, "one", metrics={"wns": -0.125, "cells": 1200, "top": "counter"})
    put(tmp_path, "two", metrics={"wns": -0.15, "cells": 1180, "top": "counter"})
    put(tmp_path, "three", status="FAIL", error_type="CMD_FAIL", metrics={"cells": 1200})
    return Here(tmp_path)


@pytest.mark.req("S-14")
def test_two_jobs_side_by_side(here: Here) -> None:
    done = here("compare", "one", "two")
    assert done.code == 0
    assert done.out.splitlines() == [
        "A  one  PASS  summary_health 1.2.0",
        "B  two  PASS  summary_health 1.2.0",
        "",
        "          A        B        change",
        "status    PASS     PASS",
        "wns (ns)  -0.125   -0.15    -0.025  worse: regression",
        "cells     1200     1180     -20     better",
        "top       counter  counter",
        "seconds   1.5      1.5",
        "",
        "1 regression",
    ]
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.req("S-14")
def test_a_regression_ends_with_exit_code_1_where_that_is_asked_for(here: Here) -> None:
    assert here("compare", "one", "two", "--fail-on-regression").code == 1
    done = here("compare", "one", "two", "--fail-on-regression", "--threshold", "wns=0.05")
    assert (done.code, done.out.splitlines()[-1]) == (0, "no regression")
    assert here("compare", "one", "two", "--fail-on-regression", "--threshold", "wns=10%").code == 1
    assert (
        here("compare", "two", "one", "--fail-on-regression", "--threshold", "cells=2%").code == 0
    )


def test_several_jobs_each_beside_the_first(here: Here) -> None:
    done = here("compare", "one", "two", "three")
    assert done.code == 0
    assert "C  three  FAIL  CMD_FAIL  summary_health 1.2.0" in done.out
    assert "status    PASS     FAIL          worse: regression" in done.out
    assert "wns (ns)  -0.125   -             missing: regression" in done.out
    assert done.out.endswith("\n3 regressions\n")


def test_the_same_for_programs(here: Here) -> None:
    told = here("compare", "one", "two", "--json").data
    assert told["regressions"] == 1
    assert [run["run"] for run in told["runs"]] == ["one", "two"]
    wns = next(figure for figure in told["figures"] if figure["name"] == "wns")
    assert (wns["unit"], wns["direction"], wns["before"]) == ("ns", "higher", -0.125)
    (after,) = wns["after"]
    assert after["change"] == pytest.approx(-0.025)
    assert (after["value"], after["verdict"], after["regression"]) == (-0.15, "worse", True)


def test_runs_of_any_pipeline(tmp_path: Path) -> None:
    here = Here(tmp_path)
    (tmp_path / "least.dot").write_text(LEAST)
    for run in ("r1", "r2"):
        assert here("run", "least.dot", "--run-id", run, "--confinement", "L1").code == 0
    done = here("compare", "r1", "r2", "--fail-on-regression")
    assert (done.code, done.out.splitlines()[-1]) == (0, "no regression")
    figures = here("compare", "r1", "r2", "--json").data["figures"]
    assert [figure["name"] for figure in figures][:2] == ["status", "seconds"]
    assert "echo.seconds" in {figure["name"] for figure in figures}


def test_runs_of_other_skills_are_told(here: Here, tmp_path: Path) -> None:
    put(tmp_path, "other", skill={"name": "synthesis", "version": "1.0.0"}, metrics={"cells": 1})
    assert "these are not runs of one version of one skill\n" in here("compare", "one", "other").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("one", "nope"), "no run named 'nope'"),
        (("one", "two", "--threshold", "wns"), "'wns' is not a threshold"),
        (("one", "two", "--threshold", "x=1"), "'x' is no figure of these runs"),
        (("one", "two", "--threshold", "top=1"), "'top' has no direction"),
        (("one",), "RUN"),
    ],
)
def test_what_cannot_be_compared_is_told(here: Here, words: tuple[str, ...], said: str) -> None:
    done = here("compare", *words)
    assert done.code == 1
    assert said in done.err

"""``custody rm`` as a user has it."""

from __future__ import annotations

import pytest

from support.shell import Shell


@pytest.mark.req("U-14")
def test_runs_are_removed_by_name(sample: Shell) -> None:
    sample("run", "pipeline.dot", "--run-id", "a2")
    done = sample("rm", "last", "r1")
    assert (done.code, done.out) == (0, "removed a2\nremoved r1\n")
    assert sample("runs").out == "there are no runs yet\n"


def test_a_name_that_is_none(sample: Shell) -> None:
    done = sample("rm", "r1", "none")
    assert done.code == 1
    assert done.err.startswith("error: no run named 'none'")
    assert [row["run_id"] for row in sample("runs", "--json").data["runs"]] == ["r1"]
    assert sample("rm", "r1", "--json").data["runs"][0]["state"] == "PASS"

"""``custody prune`` as a user has it."""

from __future__ import annotations

import pytest

from support.shell import Shell


@pytest.mark.req("U-14")
def test_the_newest_stay(sample: Shell) -> None:
    sample("run", "pipeline.dot", "--run-id", "a2")
    shown = sample("prune", "--keep", "1", "--dry-run")
    assert (shown.code, shown.out) == (0, "would remove r1  PASS\n")
    assert sample("prune", "--keep", "1").out == "removed r1  PASS\n"
    assert sample("prune", "--keep", "1").out == "nothing to remove\n"
    assert [row["run_id"] for row in sample("runs", "--json").data["runs"]] == ["a2"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say which runs are to go"),
        (("--older-than", "soon"), "'soon' is not an age"),
        (("--keep", "-1"), "--keep takes a number of runs"),
        (("--state", "waiting"), "invalid choice"),
    ],
)
def test_what_cannot_be_meant(words: tuple[str, ...], said: str, sample: Shell) -> None:
    done = sample("prune", *words)
    assert done.code == 1
    assert said in done.err
    assert sample("runs", "--json").data["runs"]


def test_by_age_and_state(sample: Shell) -> None:
    assert sample("prune", "--older-than", "30d").out == "nothing to remove\n"
    assert sample("prune", "--state", "failed").out == "nothing to remove\n"
    done = sample("prune", "--state", "passed", "--json")
    assert [run["run_id"] for run in done.data["runs"]] == ["r1"]

"""Every run of a folder."""

from __future__ import annotations

import pytest

from support.shell import Shell


def test_runs_are_listed_the_newest_last(sample: Shell) -> None:
    sample("run", "pipeline.dot", "--run-id", "a2")
    (sample.folder / ".custody/runs/odd").mkdir()
    listed = sample("runs").out.splitlines()
    assert listed[0].split() == ["run", "status", "pipeline", "started", "time", "goal"]
    assert {line.split()[0] for line in listed[1:]} == {"r1", "a2", "odd"}
    assert [row["run_id"] for row in sample("runs", "--json").data["runs"]][-2:] == ["r1", "a2"]
    assert next(line for line in listed if line.startswith("odd")).split()[1] == "BROKEN"


def test_no_runs_yet(custody: Shell) -> None:
    assert custody("runs").out == "there are no runs yet\n"
    assert custody("runs", "--json").data == {"runs": []}


@pytest.mark.req("G-25")
def test_what_a_killed_start_left_is_shown_and_cleared(custody: Shell) -> None:
    left = custody.folder / ".custody/runs/.new.dead"
    left.mkdir(parents=True)
    (left / "events.jsonl").write_text("{")
    assert "dead was never started: the next run clears " in custody("runs").out
    assert custody("runs", "--json").data["starts"][0]["run_id"] == "dead"
    custody.write(
        "p.dot", "digraph p { start [shape=Mdiamond] done [shape=Msquare] start -> done }"
    )
    assert custody("run", "p.dot", "--run-id", "r1").code == 0
    assert not left.exists()
    assert "dead" not in custody("runs").out

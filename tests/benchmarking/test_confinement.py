"""The rows about sandboxes: bars that are reached or not, and what is missing."""

from __future__ import annotations

from benchmarks.subjects.confinement import escape_rows, start_rows

TIMES = {"plain": 1.0, "L2": 1.8, "L3": 12.0, "bubblewrap": 20.0, "L3 lowest": 7.0}


def test_a_bar_is_reached_or_not() -> None:
    first, second, *others = start_rows(TIMES, "")
    assert (first.reached, second.reached) == ("NO", "yes")
    assert str(first.custody) == "12.0 ms, lowest 7.0"
    assert {row.reached for row in others} == {"-"}


def test_what_is_missing_is_told() -> None:
    rows = start_rows({}, "it failed")
    assert {row.custody.failure for row in rows} == {"it failed"}
    assert [row.reached for row in rows[:2]] == ["NO", "NO"]


def test_ways_out_are_counted_beside_others() -> None:
    rows = escape_rows({"tried": 116, "L3": 0, "L2": 12, "bubblewrap": 66, "nono": 68}, "")
    assert [str(row.custody) for row in rows[:3]] == ["0 open", "0 open", "12 open"]
    assert rows[0].what == "ways out, 116 tried, L3"
    assert rows[-1].peer.value is None

"""The rows about starts in sandboxes: bars that are reached or not, and what is missing."""

from __future__ import annotations

from benchmarks.subjects.confinement import Figures, start_rows

MEDIAN = {"plain": 1.0, "L2": 1.8, "L3": 12.0, "bubblewrap": 20.0, "sandlock": 6.0}
FIGURES: Figures = {
    "median": MEDIAN,
    "lowest": {"L3": 7.0},
    "failed": {"srt": "socat is not installed"},
}


def test_a_bar_is_reached_or_not() -> None:
    first, second, *others = start_rows(FIGURES, "")
    assert (first.reached, second.reached) == ("NO", "yes")
    assert str(first.custody) == "12.0 ms, lowest 7.0"
    assert {row.peer.name[:10]: row.reached for row in others if row.bar} == {"bubblewrap": "yes"}


def test_a_peer_that_cannot_run_is_told_with_its_reason() -> None:
    missing = {row.peer.name.split()[0]: row.peer for row in start_rows(FIGURES, "")}
    assert missing["sandbox-runtime"].failure == "socat is not installed"
    assert missing["sandbox-runtime"].value is None
    assert missing["nono-py"].failure == "no figure"


def test_what_is_missing_is_told() -> None:
    rows = start_rows({}, "it failed")
    assert {row.custody.failure for row in rows} == {"it failed"}
    assert [row.reached for row in rows[:2]] == ["NO", "NO"]

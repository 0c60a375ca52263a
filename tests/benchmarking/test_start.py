"""The rows about the first agent process: what it takes over a copy, and custody's memory."""

from __future__ import annotations

from benchmarks.rounds import Result
from benchmarks.subjects.start import agent_rows


def results(agent: float, memory: float, copy: float) -> dict[str, Result]:
    return {
        "custody": Result([{"agent": agent, "memory": memory}]),
        "cp -a": Result([{"copy": copy}]),
    }


def test_bars_are_reached_or_not() -> None:
    quick = agent_rows("it", results(1.4, 60e6, 0.6))
    assert [(str(row.custody), row.reached) for row in quick] == [
        ("800 ms, 1,400 ms in all", "yes"),
        ("60.0 MB", "yes"),
    ]
    slow = agent_rows("it", results(1.9, 90e6, 0.6))
    assert [row.reached for row in slow] == ["NO", "NO"]


def test_what_is_missing_is_told() -> None:
    failed = {who: Result(failure="no Django") for who in ("custody", "cp -a")}
    rows = agent_rows("it", failed)
    assert {row.custody.failure for row in rows} == {"no Django"}
    assert {row.reached for row in rows} == {"NO"}

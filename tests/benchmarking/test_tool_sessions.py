"""The section about requests to a tool: bars that are reached or not, and what is missing."""

from __future__ import annotations

from benchmarks.subjects import QUICK
from benchmarks.subjects.tool_sessions import rows, section

WAYS = ("fifo", "fifo, many", "poll", "poll, many", "loop", "loop, many")


def test_bars_are_told_with_their_figures() -> None:
    found = {way: {"median": 4.0, "idle": 0.2} for way in WAYS}
    table = section(rows(found, {"pexpect": "pexpect is not installed"}, QUICK))
    assert table.lines[0] == (
        "tool session: request to ack", "4.00 ms", "bar: 5.00 ms", "0.80", "≤ 1.00", "yes",
    )  # fmt: skip
    assert {line[-1] for line in table.lines} == {"yes", "-"}
    assert any("pexpect is not installed." in note for note in table.notes)
    slow = rows(found | {"fifo": {"median": 6.0, "idle": 0.4}}, {}, QUICK)
    assert [row.reached for row in slow].count("NO") == 2


def test_without_the_tool_nothing_is_reached() -> None:
    table = section(rows({}, {}, QUICK))
    assert {line[-1] for line in table.lines} == {"NO", "-"}
    assert any("sta is not installed." in note for note in table.notes)

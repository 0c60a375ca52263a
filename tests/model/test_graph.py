"""Durations: what they read, and how they are written again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.model.graph import Attribute, Duration, Node, SourcePosition

HERE = SourcePosition(line=1, column=1)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("250ms", 0.25),
        ("90s", 90.0),
        ("15m", 900.0),
        ("2h", 7200.0),
        ("1d", 86400.0),
        ("1.5h", 5400.0),
        ("90", 90.0),
        ("0s", 0.0),
    ],
)
def test_reads_a_duration(text: str, seconds: float) -> None:
    assert Duration.parse(text).seconds == seconds


@pytest.mark.parametrize("text", ["", "s", "-1s", "1w", "1 s", "1e3", "nan", "1s\n", "٣s"])
def test_refuses_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="no duration"):
        Duration.parse(text)


@pytest.mark.parametrize("text", ["250ms", "90s", "15m", "2h", "1d", "1.5s", "0ms"])
def test_writes_a_duration_in_its_largest_whole_unit(text: str) -> None:
    assert str(Duration.parse(text)) == text


@given(st.integers(0, 10**12))
def test_what_is_written_reads_the_same(milliseconds: int) -> None:
    duration = Duration.parse(f"{milliseconds}ms")
    assert Duration.parse(str(duration)) == duration


@pytest.mark.parametrize("value", ["15m", 900, 900.0, "900", Duration(seconds=900.0)])
def test_a_node_gives_seconds_however_they_were_written(value: str | float | Duration) -> None:
    attribute = Attribute(name="timeout", value=value, position=HERE)
    node = Node(id="a", type="tool", attributes={"timeout": attribute}, position=HERE)
    assert node.seconds("timeout", 1.0) == 900.0

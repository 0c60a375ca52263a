"""Times of histories, which some clocks had wrong."""

from __future__ import annotations

import pytest

from custody.logbook.change import moment


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (-5, "1970-01-01T00:00:00Z"),
        (10**30, "9999-12-31T23:59:59Z"),
        (1_600_000_000, "2020-09-13T12:26:40Z"),
    ],
)
def test_a_moment_is_told_whatever_the_clock_said(seconds: int, told: str) -> None:
    assert moment(seconds) == told

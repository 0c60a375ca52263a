"""Busy, hung, dead and lost are told apart by what the watcher writes."""

from __future__ import annotations

import pytest

from custody.executors.sessions.condition import Condition, Patience, Sight, judge

PATIENCE = Patience(first=60, lost=10, hung=30)
WELL = Sight(ended=False, begun=True, silent=0.1, ready=True, stopped=0, asked=False, unclaimed=0)
NOT_YET = WELL._replace(begun=False, ready=False)


@pytest.mark.parametrize(
    ("sight", "expected"),
    [
        (WELL, "idle"),
        (WELL._replace(ready=False), "starting"),
        (WELL._replace(ready=False, silent=9.9), "starting"),
        (NOT_YET._replace(silent=59), "starting"),
        (NOT_YET._replace(silent=61), "lost"),
        (WELL._replace(asked=True), "busy"),
        (WELL._replace(asked=True, unclaimed=29), "busy"),
        (WELL._replace(asked=True, unclaimed=31), "hung"),
        (WELL._replace(stopped=29), "idle"),
        (WELL._replace(stopped=31), "hung"),
        (WELL._replace(asked=True, stopped=31), "hung"),
        (WELL._replace(silent=11), "lost"),
        (WELL._replace(silent=11, stopped=31), "lost"),
        (WELL._replace(silent=11, ready=False), "lost"),
        (WELL._replace(ended=True), "dead"),
        (WELL._replace(ended=True, silent=1e9, ready=False, asked=True), "dead"),
    ],
)
def test_conditions(sight: Sight, expected: Condition) -> None:
    assert judge(sight, PATIENCE) == expected

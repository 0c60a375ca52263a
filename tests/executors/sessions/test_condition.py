"""Busy, hung, dead and lost are told apart by what the watcher writes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from custody.executors.sessions.condition import (
    Condition,
    Hung,
    Patience,
    Sight,
    hung_by,
    judge,
    lives,
)
from custody.model.session import Beat

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
        (WELL._replace(still=1e9), "idle"),
        (WELL._replace(ended=True), "dead"),
        (WELL._replace(ended=True, silent=1e9, ready=False, asked=True), "dead"),
    ],
)
def test_conditions(sight: Sight, expected: Condition) -> None:
    assert judge(sight, PATIENCE) == expected


@pytest.mark.parametrize(
    ("sight", "expected"),
    [
        (WELL, ""),
        (WELL._replace(still=59), ""),
        (WELL._replace(still=61), "silent"),
        (WELL._replace(still=61, unclaimed=31), "silent"),
        (WELL._replace(still=61, unclaimed=31, stopped=31), "stopped"),
        (WELL._replace(unclaimed=31), "unclaimed"),
    ],
)
def test_by_what_it_is_hung(sight: Sight, expected: Hung) -> None:
    patience = PATIENCE._replace(pulse=60)
    assert hung_by(sight, patience) == expected
    assert judge(sight, patience) == ("hung" if expected else "idle")


BEAT = Beat(beat=7, watcher=1, program=2, process="S", cpu=1.0, heartbeat=5)


@pytest.mark.req("S-08")
@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (BEAT, False),
        (replace(BEAT, beat=8, cpu=1.01), False),
        (replace(BEAT, beat=8, cpu=1.02), True),
        (replace(BEAT, beat=8, heartbeat=6), True),
        (replace(BEAT, beat=8, process="R"), True),
        (replace(BEAT, beat=8, process="D"), False),
        (replace(BEAT, beat=8, process="T"), False),
    ],
)
def test_what_a_program_does_between_two_heartbeats(after: Beat, expected: bool) -> None:
    assert lives(BEAT, after, 0.6) is expected

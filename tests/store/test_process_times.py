"""Who was at work on a run, and how long a back-off has lasted."""

from __future__ import annotations

from custody.model.event import PipelineStarted, StageRetrying, StageStarted
from custody.model.process_event import RunInterrupted, RunResumed
from custody.store.process_times import ProcessTimes, epoch
from support.facts import sample

RETRYING = sample(StageRetrying, delay=10.0)


def at(second: int) -> str:
    return f"2026-01-31T10:15:{second:02d}.500000Z"


def test_seconds_are_counted_from_1970() -> None:
    assert epoch("1970-01-01T00:00:01.500000Z") == 1.5
    assert epoch(at(9)) - epoch(at(4)) == 5


def test_a_process_that_was_killed_has_not_left() -> None:
    times = ProcessTimes()
    times.add(at(1), sample(PipelineStarted))
    times.add(at(2), sample(StageStarted))
    assert (times.left, times.taken_up_at, times.last_at) == (False, at(1), at(2))
    times.add(at(3), RunInterrupted(reason="SIGINT"))
    assert times.left
    times.add(at(4), RunResumed())
    assert (times.left, times.taken_up_at) == (False, at(4))


def test_a_back_off_adds_up_over_processes() -> None:
    times = ProcessTimes()
    for second, fact in (
        (1, RETRYING), (4, RunInterrupted(reason="")), (20, RunResumed()),
        (22, RunInterrupted(reason="")),
    ):  # fmt: skip
        times.add(at(second), fact)
    assert times.waited == 5
    times.add(at(30), RunResumed())
    times.add(at(31), sample(StageStarted))
    assert times.waited == 0


def test_an_interruption_elsewhere_is_no_wait() -> None:
    times = ProcessTimes()
    times.add(at(1), sample(StageStarted))
    times.add(at(9), RunInterrupted(reason=""))
    assert times.waited == 0

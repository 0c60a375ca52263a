"""What is noticed of the processes below one, and how they are ended."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable

from custody.supervise.children import Children
from support.forking import fork
from support.overlay import in_child


def started(work: Callable[[], None]) -> int:
    child = fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(7)
    return child


def asleep() -> None:
    time.sleep(60)


def test_an_end_is_heard_and_noted() -> None:
    def work() -> tuple[bool, int, bool]:
        below = Children()
        child = started(lambda: None)
        heard = bool(select.select([below.exits], [], [], 10)[0])
        below.hear()
        left = below.reap()
        return heard, below.ended[child].exit_code or 0, left

    assert in_child(work) == (True, 7, False)


def test_all_are_killed_but_the_one_that_is_spared() -> None:
    def work() -> tuple[bool, tuple[int, int], bool, tuple[int, int]]:
        below = Children()
        below.spared, other = started(asleep), started(asleep)
        only_other = below.others() == [other]
        killed = below.kill()
        still = below.spared not in below.ended
        below.spared = 0
        return only_other, killed, still, below.kill()

    only_other, killed, still, last = in_child(work)
    assert only_other
    assert still
    assert killed == last == (1, 0)


def test_one_that_was_spared_and_has_ended_is_spared_no_more() -> None:
    def work() -> tuple[bool, int, tuple[int, int]]:
        below = Children()
        below.spared = started(lambda: None)
        select.select([below.exits], [], [], 10)
        return below.reap(), below.spared, below.kill()

    left, spared, killed = in_child(work)
    assert not left
    assert spared == 0
    assert killed == (0, 0)


def test_one_that_is_waited_for_has_ended_or_the_time_is_over() -> None:
    def work() -> tuple[int, bool, float, tuple[int, int]]:
        below = Children()
        quick, slow = started(lambda: None), started(asleep)
        below.wait_for(quick, 60)
        begin = time.monotonic()
        below.wait_for(slow, 0.05)
        waited = time.monotonic() - begin
        return below.ended[quick].exit_code or 0, slow in below.ended, waited, below.kill()

    code, ended, waited, killed = in_child(work)
    assert code == 7
    assert not ended
    assert waited >= 0.05
    assert killed == (1, 0)

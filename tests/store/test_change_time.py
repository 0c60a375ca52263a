from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from custody.store.change_time import CLOCK_STEP, COARSE_STEP, clock_of, is_young

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("changed", "looked", "young"),
    [
        (5 * SECOND + 7, 5 * SECOND + 7, True),
        (5 * SECOND + 7, 5 * SECOND + 7 + CLOCK_STEP, True),
        (5 * SECOND + 7, 5 * SECOND + 8 + CLOCK_STEP, False),
        (5 * SECOND, 5 * SECOND + CLOCK_STEP + 1, True),
        (5 * SECOND, 5 * SECOND + COARSE_STEP, True),
        (5 * SECOND, 5 * SECOND + COARSE_STEP + 1, False),
        (9 * SECOND + 7, 5 * SECOND, True),
    ],
)
def test_young_is_what_another_change_could_not_be_told_from(
    changed: int, looked: int, *, young: bool
) -> None:
    assert is_young(changed, looked) is young


def test_the_clock_is_that_of_the_file_system(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        before = time.time_ns()
        now = clock_of(folder)
        assert now is not None
        assert before - CLOCK_STEP <= now <= time.time_ns()
        assert os.fstat(folder).st_mtime_ns >= now
    finally:
        os.close(folder)


def test_a_change_time_that_can_be_set_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on file systems that know only when a file was written last."""
    real = os.fstat

    class Settable:
        def __init__(self, state: os.stat_result) -> None:
            self.st_ctime_ns = state.st_mtime_ns

    folder = os.open(tmp_path, os.O_RDONLY)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", lambda descriptor: Settable(real(descriptor)))
        assert clock_of(folder) is None
    os.close(folder)

"""Whatever ends a run, and wherever: what was promised is there, and the run can be finished."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.small_run import FEW, MANY
from support.sweep import SEED, Sweep, budget

TESTS = Path(__file__).parent.parent
MACHINE = Path(__file__).parent / "crash_machine.py"
EVERY = 6

Case = Callable[[str], dict[str, Any]]


@pytest.fixture
def fast_folder() -> Iterator[str]:
    """Yield a folder in memory where there is one: thousands of syncs are waited for."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield folder


def machine(*arguments: object) -> Any:
    result = subprocess.run(
        [sys.executable, MACHINE, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stderr == ""
    return json.loads(result.stdout)


def swept(sweep: Sweep, folder: str, mode: str, *, at: int, least: int) -> None:
    """End a run, or its resumption, at points that are drawn, and at the first and the last."""
    count = machine("count", folder, at)
    assert count > least
    ends = {1: "the first", count: "the last"}
    chosen = sweep.points(
        range(1, count + 1),
        every=EVERY,
        about=mode,
        kind=lambda number: ends.get(number, ""),
        must=ends.values(),
    )
    wrong = machine("points", folder, at, mode, *chosen)
    sweep.over(chosen, lambda number: wrong.get(str(number)))


MODES = {
    "kill-before": ("crash-001", "recover:resume_pass"),
    "kill-after": ("crash-001", "recover:resume_pass"),
    "ENOSPC": ("crash-010", "recover:typed_fail"),
    "EIO": ("crash-003", "recover:typed_fail_then_resume"),
}


@pytest.mark.req("P-11")
@pytest.mark.parametrize("mode", MODES)
def test_any_point(fast_folder: str, mode: str, hostile: Case, sweep: Sweep) -> None:
    case, expected = MODES[mode]
    assert hostile(case)["expect"] == expected
    swept(sweep, fast_folder, mode, at=0, least=150)


@pytest.mark.req("P-11")
@pytest.mark.parametrize("mode", ["kill-before", "EIO"])
def test_any_point_of_a_resumption(fast_folder: str, mode: str, sweep: Sweep) -> None:
    swept(sweep, fast_folder, mode, at=115, least=60)


@pytest.mark.req("P-11")
@pytest.mark.parametrize("contents", [FEW, MANY])
def test_crash_006_the_power_fails(
    fast_folder: str, hostile: Case, sweep: Sweep, contents: int
) -> None:
    assert hostile("crash-006")["expect"] == "recover:no_partial"
    states = sweep.points(range(round(budget(300, 5000))), every=1, about=str(contents))
    wrong = machine("power", fast_folder, contents, SEED, *states)
    sweep.over(states, lambda number: wrong.get(str(number)))

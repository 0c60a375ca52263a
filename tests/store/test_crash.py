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

TESTS = Path(__file__).parent.parent
MACHINE = Path(__file__).parent / "crash_machine.py"
STATES = 600

Case = Callable[[str], dict[str, Any]]


@pytest.fixture
def fast_folder() -> Iterator[str]:
    """Yield a folder in memory where there is one: thousands of syncs are waited for."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield folder


def machine(*arguments: str) -> dict[str, Any]:
    result = subprocess.run(
        [sys.executable, MACHINE, *arguments],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stderr == ""
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.req("P-11")
@pytest.mark.parametrize(
    ("mode", "case", "expected"),
    [
        ("kill-before", "crash-001", "recover:resume_pass"),
        ("kill-after", "crash-001", "recover:resume_pass"),
        ("ENOSPC", "crash-010", "recover:typed_fail"),
        ("EIO", "crash-003", "recover:typed_fail_then_resume"),
    ],
)
def test_every_point(fast_folder: str, mode: str, case: str, expected: str, hostile: Case) -> None:
    assert hostile(case)["expect"] == expected
    found = machine("points", mode, fast_folder, "0")
    assert found["wrong"] == []
    assert found["points"] > 150


@pytest.mark.req("P-11")
@pytest.mark.parametrize("mode", ["kill-before", "EIO"])
def test_every_point_of_a_resumption(fast_folder: str, mode: str) -> None:
    found = machine("points", mode, fast_folder, "115")
    assert found["wrong"] == []
    assert found["points"] > 60


@pytest.mark.req("P-11")
def test_crash_006_the_power_fails(fast_folder: str, hostile: Case) -> None:
    assert hostile("crash-006")["expect"] == "recover:no_partial"
    found = machine("power", fast_folder, str(STATES), "1")
    assert found["wrong"] == []

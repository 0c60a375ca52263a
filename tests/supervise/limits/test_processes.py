"""Processes are counted with their threads, memory and descriptors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from custody.model.limits import MIB, StageLimits
from custody.supervise.limits import processes
from custody.supervise.limits.processes import (
    InUse,
    ProcessMeter,
    fields,
    proportional_memory,
    usage_of,
)
from support.overlay import in_child

THREE = "for _ in range(3):\n    if os.fork() == 0: sys.stdin.read(); os._exit(0)"
SHARED = f"kept = b'x' * (30 << 20)\n{THREE}"

pytestmark = pytest.mark.req("G-09")


@contextmanager
def running(text: str) -> Iterator[int]:
    """Run a program that tells when it is ready; it ends with its input."""
    script = f"import os, sys, threading, time\n{text}\nprint(flush=True)\nsys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid


def exceeded(text: str, limits: StageLimits) -> str | None:
    """Return what a meter says of a program that its process has started."""

    def work() -> str | None:
        with running(text):
            return ProcessMeter(limits).exceeded()

    return in_child(work)


def test_a_process_takes_what_it_has() -> None:
    text = "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
    text += "kept = b'x' * (40 << 20), [os.open('/dev/null', 0) for _ in range(50)]"
    with running(text) as process:
        found = usage_of(f"/proc/{process}")
        memory = proportional_memory(f"/proc/{process}")
    assert found.tasks == 2
    assert 40 * MIB < found.memory < 120 * MIB
    assert 40 * MIB < memory < 120 * MIB
    assert 53 <= found.descriptors < 70


def test_a_process_that_is_gone_takes_nothing() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert usage_of(f"/proc/{process.pid}") == InUse()
    assert proportional_memory(f"/proc/{process.pid}") == 0


def test_one_that_was_not_waited_for_counts() -> None:
    with subprocess.Popen(["true"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read()
        assert usage_of(f"/proc/{process.pid}").tasks == 1


@pytest.mark.parametrize(
    ("text", "limits", "limit"),
    [
        ("", StageLimits(), None),
        (
            "for _ in range(3):\n    if os.fork() == 0: sys.stdin.read(); os._exit(0)",
            StageLimits(processes=3),
            "processes",
        ),
        (
            "for _ in range(3):\n    if os.fork() == 0: sys.stdin.read(); os._exit(0)",
            StageLimits(processes=4),
            None,
        ),
        ("kept = b'x' * (90 << 20)", StageLimits(memory=90 * MIB), "memory"),
        ("f = [os.dup(0) for _ in range(50)]", StageLimits(open_files=50), "open_files"),
        (SHARED, StageLimits(memory=90 * MIB), None),
    ],
)
def test_a_limit_is_exceeded_by_all_of_them_together(
    text: str, limits: StageLimits, limit: str | None
) -> None:
    assert exceeded(text, limits) == limit


def test_what_else_they_hold_counts() -> None:
    limits = StageLimits(memory=90 * MIB)

    def work() -> list[str | None]:
        with running("kept = b'x' * (30 << 20)"):
            meters = [ProcessMeter(limits), ProcessMeter(limits, lambda: 70 * MIB)]
            return [meter.exceeded() for meter in meters]

    assert in_child(work) == [None, "memory"]


def test_the_first_process_of_a_sandbox_sees_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 1)
    assert os.getppid() in processes.members()
    for name in ("1", "7", "self"):
        (tmp_path / name).mkdir()
    assert processes.members(str(tmp_path)) == [7], "but for itself"


def test_lines_without_a_number_are_passed_over() -> None:
    text = b"Name:\tsh\nThreads:\t3\nVmSwap:\t     12 kB\nempty:\n\nno colon"
    assert fields(text) == {b"Threads": 3, b"VmSwap": 12}

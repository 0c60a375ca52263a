"""Files without a name are found where they are open."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from custody.model.limits import MIB, StageLimits
from custody.supervise.limits.nameless import NamelessMeter, nameless
from support.overlay import in_child

LIMITS = StageLimits(memory=2 * MIB, written=2 * MIB)

pytestmark = pytest.mark.req("G-09")


def with_child(work: Callable[[], str | None], held: int) -> str | None:
    """Do something in a process whose child has inherited a descriptor, and no other that counts.

    Whoever runs the tests may have removed files open, in which it keeps what they print.
    """

    def inside() -> str | None:
        is_ready, ready = os.pipe()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            for other in range(max(held, writer, ready) + 1):
                if other not in {held, reader, ready}:
                    with suppress(OSError):
                        os.close(other)
            os.close(ready)
            os.read(reader, 1)
            os._exit(0)
        os.close(ready)
        os.read(is_ready, 1)
        try:
            return work()
        finally:
            os.close(writer)
            os.waitpid(child, 0)

    return in_child(inside)


def test_a_memory_file_is_memory() -> None:
    file = os.memfd_create("kept")
    try:
        os.write(file, bytes(3 * MIB))
        meter = NamelessMeter(LIMITS)
        assert with_child(meter.exceeded, file) == "memory"
        os.ftruncate(file, 0)
        os.ftruncate(file, 1 << 40)
        assert with_child(meter.exceeded, file) is None
    finally:
        os.close(file)


def test_what_is_held_for_them_counts_once() -> None:
    file = os.memfd_create("kept")
    try:
        os.write(file, bytes(3 * MIB // 2))
        meter = NamelessMeter(LIMITS, held=lambda: [os.fstat(file), os.fstat(file)])
        assert in_child(meter.exceeded) is None
        assert meter.exceeded() is None
        assert meter.memory == 3 * MIB // 2
        os.write(file, bytes(MIB))
        assert meter.exceeded() == "memory"
    finally:
        os.close(file)


def test_a_removed_file_is_written(tmp_path: Path) -> None:
    with (tmp_path / "gone").open("wb") as file:
        file.write(b"x" * (3 * MIB))
        file.flush()
        held = file.fileno()
        assert with_child(NamelessMeter(LIMITS).exceeded, held) is None
        (tmp_path / "gone").unlink()
        assert with_child(NamelessMeter(LIMITS).exceeded, held) == "written"
        device = os.fstat(held).st_dev
        assert with_child(NamelessMeter(LIMITS, ignored=device).exceeded, held) is None


def test_a_process_that_is_gone_or_closed_is_passed_over() -> None:
    assert list(nameless([0, sys.maxsize])) == []

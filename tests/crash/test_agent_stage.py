"""A run with agents is killed at every call and at any moment, and nothing of it is left.

No process, no mount, no hidden file; it can be resumed, and ends as if nothing had happened.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import pytest

from custody.supervise.descendants import children
from support.agent_run import (
    AgentPlace,
    after_a_kill,
    after_resume,
    at_the_end,
    first,
    killed_at,
    tree,
)
from support.crash import CALLS, Point, points
from support.remains import Remains, mounts

CHUNKS = 4
EVERY = os.environ.get("CUSTODY_EVERY_CRASH") == "1"
"""Whether each call and many more moments are tried; that takes a quarter of an hour."""
STRIDE = 1 if EVERY else 16
RESUMED_STRIDE = 1 if EVERY else 80
FAULT_STRIDE = 1 if EVERY else 120
MOMENTS = 40 if EVERY else 8
CHANGING = (*CALLS, "rmdir", "mknodat", "fchmodat")
"""What changes a disk, layers and all."""
KILL = "signal=KILL"
FAULTS = {"disk full": "error=ENOSPC", "disk broken": "error=EIO"}

pytestmark = [
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed"),
    pytest.mark.timeout(3600 if EVERY else 600),
]


@pytest.fixture
def remains() -> Iterator[Remains]:
    """Return what sees everything that the test has started."""
    with Remains() as remains:
        yield remains


@pytest.mark.req("P-11", "P-18")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_killed_at_a_call(chunk: int, tmp_path: Path, remains: Remains) -> None:
    place = AgentPlace.make(tmp_path / "points")
    found = points(place, CHANGING)
    expected = place.state()
    bad = [
        f"{point}: {trouble}"
        for point in some(found, STRIDE)[chunk::CHUNKS]
        if (trouble := hit(AgentPlace.make(tmp_path / str(point)), point, KILL, remains, expected))
    ]
    assert not bad, "\n".join(bad)
    assert len(found) > 100


@pytest.mark.req("P-11", "P-18")
@pytest.mark.parametrize("chunk", range(2))
def test_killed_again_when_it_is_resumed(chunk: int, tmp_path: Path, remains: Remains) -> None:
    left = AgentPlace.make(tmp_path / "left")
    with left.started(PAUSE="600"):
        left.at_work()
    assert remains.trouble(left.home) == ""
    place = copied(left, tmp_path / "points")
    found = points(place, CHANGING)
    expected = place.state()
    bad = [
        f"{point}: {trouble}"
        for point in some(found, RESUMED_STRIDE)[chunk::2]
        if (trouble := hit(copied(left, tmp_path / str(point)), point, KILL, remains, expected))
    ]
    assert not bad, "\n".join(bad)
    assert len(found) > 100


def test_what_an_agent_kept_at_home_is_removed(tmp_path: Path, remains: Remains) -> None:
    place = AgentPlace.make(tmp_path / "p")
    with place.started(PAUSE="600"):
        place.at_work()
    assert remains.trouble(place.home) == ""
    for name in ("work.1.1", ".tmp.1.1"):
        (place.run_directory / "homes" / "codex" / name / "sessions").mkdir(parents=True)
    assert place.run().returncode == 0
    assert not (place.run_directory / "homes").exists()
    assert [*at_the_end(place)] == []


@pytest.mark.req("P-11")
@pytest.mark.parametrize("fault", FAULTS)
def test_the_disk_fails(fault: str, tmp_path: Path, remains: Remains) -> None:
    place = AgentPlace.make(tmp_path / "points")
    found = points(place, CHANGING)
    expected = place.state()
    bad = [
        f"{point}: {trouble}"
        for point in some(found, FAULT_STRIDE)[list(FAULTS).index(fault) :: len(FAULTS)]
        if (
            trouble := hit(
                AgentPlace.make(tmp_path / str(point)), point, FAULTS[fault], remains, expected
            )
        )
    ]
    assert not bad, "\n".join(bad)


def some(found: list[Point], stride: int) -> list[Point]:
    """Return one of so many points, but of each call at least one."""
    by_call = [[*group] for _, group in groupby(found, key=lambda point: point.call)]
    return [point for group in by_call for point in group[min(stride, len(group)) // 2 :: stride]]


def copied(place: AgentPlace, home: Path) -> AgentPlace:
    """Return a copy of a run, devices that stand for what was removed included."""
    subprocess.run(["cp", "-a", place.home, home], check=True)
    return AgentPlace(home)


def hit(place: AgentPlace, point: Point, fault: str, remains: Remains, expected: list[str]) -> str:
    """Hit a run at one call, resume it, and return what is wrong, if anything."""
    source = tree(place.home / "project")
    done = place.hit(point, fault)

    def troubles() -> Iterator[str]:
        if fault == KILL and done.returncode not in (-9, 137):
            yield f"was not killed: {done.returncode} {done.stderr}"
        if "Traceback" in done.stderr:
            yield f"a traceback: {done.stderr}"
        yield from after_a_kill(place, remains, source)
        yield from after_resume(place, remains, source, expected)

    return first(place, troubles())


@pytest.mark.req("P-11", "P-18")
@pytest.mark.parametrize("chunk", range(2))
def test_killed_at_any_moment(chunk: int, tmp_path: Path, remains: Remains) -> None:
    place = AgentPlace.make(tmp_path / "whole")
    step = place.seconds() / MOMENTS
    expected = place.state()
    bad = [
        f"{number}: {trouble}"
        for number in range(chunk, MOMENTS, 2)
        if (
            trouble := killed_at(
                step * number, AgentPlace.make(tmp_path / str(number)), remains, expected
            )
        )
    ]
    assert not bad, "\n".join(bad)


@pytest.mark.req("P-15", "P-18")
def test_the_keeper_is_killed_at_any_moment(tmp_path: Path, remains: Remains) -> None:
    """The run goes on: a stage that lost its programs has failed, and is tried again."""
    place = AgentPlace.make(tmp_path / "whole")
    step = place.seconds() / MOMENTS
    expected = place.outcome()
    bad = [
        f"{number}: {trouble}"
        for number in range(MOMENTS)
        if (
            trouble := keeper_killed_at(
                step * number, AgentPlace.make(tmp_path / str(number)), remains, expected
            )
        )
    ]
    assert not bad, "\n".join(bad)


def keeper_killed_at(
    seconds: float, place: AgentPlace, remains: Remains, expected: list[str]
) -> str:
    source = tree(place.home / "project")
    with place.started() as process:
        place.wait(process, seconds)
        for keeper in children(process.pid):
            with suppress(ProcessLookupError):
                os.kill(keeper, signal.SIGKILL)
        process.wait(60)
    if other := set(place.outcome()) ^ set(expected):
        return f"another outcome: {sorted(other)[:4]}"
    return first(place, after_a_kill(place, remains, source), at_the_end(place))


@pytest.mark.req("P-11", "P-18")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stop(number: signal.Signals, tmp_path: Path, remains: Remains) -> None:
    place = AgentPlace.make(tmp_path / "whole")
    assert place.run().returncode == 0
    expected = place.state()
    place = AgentPlace.make(tmp_path / "stopped")
    source = tree(place.home / "project")
    with place.started(PAUSE="600") as process:
        place.at_work()
        process.send_signal(number)
        assert process.wait(60) == 130
    assert [*filter(None, after_a_kill(place, remains, source))] == []
    assert [*filter(None, after_resume(place, remains, source, expected))] == []


@pytest.mark.req("P-15", "P-18")
def test_a_stage_that_takes_too_long(tmp_path: Path, remains: Remains) -> None:
    place = AgentPlace.make(tmp_path / "p")
    source = tree(place.home / "project")
    with place.started(PAUSE="600", CUSTODY_LOCAL_EXEC_TIMEOUT="1500ms") as process:
        assert process.wait(120) == 1
    assert '"status":"timeout"' in (place.run_directory / "events.jsonl").read_text()
    assert [*filter(None, after_a_kill(place, remains, source))] == []
    assert [*at_the_end(place)] == []


def test_what_looks_for_remains_would_notice(tmp_path: Path, remains: Remains) -> None:
    """While an agent is at work, its processes and mounts are found."""
    place = AgentPlace.make(tmp_path / "p")
    with place.started(PAUSE="600") as process:
        place.at_work()
        assert len(remains.processes()) > len({process.pid, *children(process.pid)}) + 4
        assert mounts(place.home)
    assert remains.trouble(place.home) == ""
    assert not remains.processes()

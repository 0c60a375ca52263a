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
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

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
from support.crash import CALLS, LANDMARKS, Point, points
from support.overlay import in_child, mount, new_mount_namespace
from support.remains import Remains, mounts
from support.sweep import Sweep, budget, chunks

CHUNKS = chunks(8)
MOMENTS = round(budget(1, 40))
WHEN_RESUMED = LANDMARKS.keys() - {"the run gets its name"}
CHANGING = (*CALLS, "rmdir", "mknodat", "fchmodat")
"""What changes a disk, layers and all."""
KILL = "signal=KILL"
FAULTS = {"disk full": "error=ENOSPC", "disk broken": "error=EIO"}

pytestmark = [
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed"),
    pytest.mark.timeout(budget(600, 3600)),
]


class Whole(NamedTuple):
    """A run that nothing happens to: the calls it makes, and its state at the end."""

    points: list[Point]
    state: list[str]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Return what is to be known of a run that nothing happens to."""
    place = AgentPlace.make(tmp_path_factory.mktemp("whole") / "p")
    return Whole(points(place, CHANGING), place.state())


@pytest.fixture
def remains() -> Iterator[Remains]:
    """Return what sees everything that the test has started."""
    with Remains() as remains:
        yield remains


@pytest.mark.req("P-11", "P-18")
@pytest.mark.parametrize("chunk", CHUNKS)
def test_killed_at_a_call(
    chunk: int, tmp_path: Path, remains: Remains, whole: Whole, sweep: Sweep
) -> None:
    sweep.over(
        sweep.points(
            whole.points,
            every=150,
            kind=attrgetter("landmark"),
            must=LANDMARKS,
            most=3,
            chunk=chunk,
            chunks=len(CHUNKS),
        ),
        lambda point: hit(
            AgentPlace.make(tmp_path / str(point)), point, KILL, remains, whole.state
        ),
    )


@pytest.mark.req("P-11", "P-18")
@pytest.mark.parametrize("chunk", CHUNKS)
def test_killed_again_when_it_is_resumed(
    chunk: int, tmp_path: Path, remains: Remains, sweep: Sweep
) -> None:
    left = AgentPlace.make(tmp_path / "left")
    with left.started(PAUSE="600"):
        left.at_work()
    assert remains.trouble(left.home) == ""
    place = copied(left, tmp_path / "points")
    found = points(place, CHANGING)
    expected = place.state()
    sweep.over(
        sweep.points(
            found,
            every=80,
            kind=attrgetter("landmark"),
            must=WHEN_RESUMED,
            most=2,
            chunk=chunk,
            chunks=len(CHUNKS),
        ),
        lambda point: hit(copied(left, tmp_path / str(point)), point, KILL, remains, expected),
    )


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
@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("fault", FAULTS)
def test_the_disk_fails(
    fault: str, chunk: int, tmp_path: Path, *, remains: Remains, whole: Whole, sweep: Sweep
) -> None:
    sweep.over(
        sweep.points(whole.points, every=100, about=fault, most=1, chunk=chunk, chunks=len(CHUNKS)),
        lambda point: hit(
            AgentPlace.make(tmp_path / str(point)), point, FAULTS[fault], remains, whole.state
        ),
    )


def copied(place: AgentPlace, home: Path) -> AgentPlace:
    """Return a copy of a run, devices that stand for what was removed included."""
    subprocess.run(["cp", "-a", place.home, home], check=True)
    return AgentPlace(home)


def hit(place: AgentPlace, point: Point, fault: str, remains: Remains, expected: list[str]) -> str:
    """Hit a run at one call, resume it, and return what is wrong, if anything."""
    source = tree(place.home / "project")
    done = place.hit(point, fault)

    def troubles() -> Iterator[str]:
        if fault == KILL and place.outlived(done, point):
            yield f"was not killed: {done.returncode} {done.stderr}"
        if "Traceback" in done.stderr:
            yield f"a traceback: {done.stderr}"
        yield from after_a_kill(place, remains, source)
        yield from after_resume(place, remains, source, expected)

    return first(place, troubles())


@pytest.mark.req("P-11", "P-18")
@pytest.mark.parametrize("chunk", CHUNKS)
def test_killed_at_any_moment(chunk: int, tmp_path: Path, remains: Remains, sweep: Sweep) -> None:
    place = AgentPlace.make(tmp_path / "whole")
    whole = place.seconds()
    expected = place.state()
    sweep.over(
        sweep.moments(MOMENTS, chunk=chunk, chunks=len(CHUNKS)),
        lambda part: killed_at(
            whole * part, AgentPlace.make(tmp_path / str(part)), remains, expected
        ),
    )


@pytest.mark.req("P-15", "P-18")
def test_the_server_is_killed_at_any_moment(tmp_path: Path, remains: Remains, sweep: Sweep) -> None:
    """The run goes on: a stage that lost its programs has failed, and is tried again."""
    place = AgentPlace.make(tmp_path / "whole")
    whole = place.seconds()
    expected = place.outcome()
    sweep.over(
        sweep.moments(MOMENTS),
        lambda part: server_killed_at(
            whole * part, AgentPlace.make(tmp_path / str(part)), remains, expected
        ),
    )


def server_killed_at(
    seconds: float, place: AgentPlace, remains: Remains, expected: list[str]
) -> str:
    source = tree(place.home / "project")
    with place.started() as process:
        place.wait(process, seconds)
        for server in children(process.pid):
            with suppress(ProcessLookupError):
                os.kill(server, signal.SIGKILL)
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
    """While an agent is at work, its processes are found; mounts in other namespaces are, too."""
    place = AgentPlace.make(tmp_path / "p")
    with place.started(PAUSE="600") as process:
        place.at_work()
        assert len(remains.processes()) > len({process.pid, *children(process.pid)}) + 4
    assert remains.trouble(place.home) == ""
    assert not remains.processes()

    def mounted() -> list[str]:
        new_mount_namespace()
        mount("tmpfs", str(place.home / "project"))
        return mounts(place.home)

    assert in_child(mounted)
    assert not mounts(place.home)

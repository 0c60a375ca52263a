"""The runtime of a skill job is killed at every call and at any moment.

Whatever was killed: the job goes on with the tool that it had, asks nothing twice, and leaves the
same documents.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.model.record import decode
from custody.model.session import Beat
from support.agent_run import first, wait_for
from support.crash import CALLS, Point, points
from support.job_place import LANDMARKS, JobPlace, kind
from support.remains import Remains
from support.sweep import Sweep, budget, chunks

CHUNKS = chunks(8)
MOMENTS = round(budget(2, 40))
KILL = "signal=KILL"

pytestmark = [
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed"),
    pytest.mark.timeout(budget(300, 3600)),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[Point]:
    """Return the calls of a job that nothing happens to."""
    place = JobPlace.make(tmp_path_factory.mktemp("whole") / "p")
    found = points(place, CALLS)
    assert [*place.trouble()] == []
    return found


@pytest.fixture
def remains() -> Iterator[Remains]:
    """Return what sees everything that the test has started."""
    with Remains() as remains:
        yield remains


def after_resume(place: JobPlace, remains: Remains) -> Iterator[str]:
    resumed = place.run()
    if resumed.returncode != 0:
        yield f"resume ended with {resumed.returncode}: {resumed.stdout} {resumed.stderr}"
    yield remains.trouble(place.home)
    yield from place.trouble()


def hit(place: JobPlace, point: Point, remains: Remains) -> str:
    """Kill the runtime at one call, go on with the job, and return what is wrong, if anything."""
    done = place.hit(point, KILL)
    if place.outlived(done, point):
        return f"was not killed: {done.returncode} {done.stderr}"
    return first(place, after_resume(place, remains))


@pytest.mark.req("S-04", "S-06", "S-07")
@pytest.mark.parametrize("chunk", CHUNKS)
def test_the_runtime_is_killed_at_a_call(
    chunk: int, tmp_path: Path, remains: Remains, whole: list[Point], sweep: Sweep
) -> None:
    sweep.over(
        sweep.points(
            whole, every=60, kind=kind, must=LANDMARKS, most=3, chunk=chunk, chunks=len(CHUNKS)
        ),
        lambda point: hit(JobPlace.make(tmp_path / str(point)), point, remains),
    )


def killed(place: JobPlace, seconds: float, remains: Remains) -> str:
    with place.started() as process:
        place.wait(process, seconds)
        process.kill()
    return first(place, after_resume(place, remains))


def test_the_runtime_is_killed_at_any_moment(
    tmp_path: Path, remains: Remains, sweep: Sweep
) -> None:
    seconds = JobPlace.make(tmp_path / "timed").seconds()
    sweep.over(
        sweep.moments(MOMENTS),
        lambda part: killed(JobPlace.make(tmp_path / str(part)), seconds * part, remains),
    )


@pytest.mark.req("S-07")
def test_an_ack_that_has_come_meanwhile_is_taken(tmp_path: Path, remains: Remains) -> None:
    place = JobPlace.make(tmp_path / "p")
    with place.started() as process:
        place.at_work()
        process.kill()
    acks = place.run_directory / "session/tool/1/box/ack"
    wait_for((acks / "r1_0002_run.json").exists)
    assert [*filter(None, after_resume(place, remains))] == []


def test_nobody_goes_on_with_the_job_until_its_tool_has_gone(
    tmp_path: Path, remains: Remains
) -> None:
    """What the tool had loaded is gone with it: the job fails, and runs nothing a second time."""
    place = JobPlace.make(tmp_path / "p")
    (place.home / "count/templates/run.tcl").write_text(
        (place.home / "count/templates/run.tcl").read_text().replace("after 300", "after 60000")
    )
    with place.started() as process:
        place.at_work()
        process.kill()
    beat = place.run_directory / "session/tool/1/beat.json"
    os.kill(decode(beat.read_bytes(), Beat, where="beat").watcher, signal.SIGKILL)
    assert place.run().returncode == 1
    assert place.carried_out() == {"restore": 1, "run": 1}
    job = place.job()
    assert job.verdict == ("FAIL", "HEARTBEAT_LOST")
    assert job.read("ack/r1_0002_run.json")["error_type"] == "HEARTBEAT_LOST"
    assert remains.trouble(place.home) == ""

"""A run with a session is killed at every call and at any moment, and so are the session's parts.

Whatever was killed: the run is resumed to the same end, no request is carried out a second time
unless its session died over it, and nothing is left running.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from custody import api
from custody.model.session_event import SessionAttached, SessionOpened
from support.agent_run import first, wait_for
from support.crash import CALLS, Point, leftovers, points
from support.processes import is_alive, stop_all
from support.remains import Remains
from support.session_run import KEYS, LANDMARKS, SessionPlace, install, kind
from support.sweep import Sweep, budget, chunks, some

CHUNKS = chunks(8)
MOMENTS = round(budget(1, 40))
KILL = "signal=KILL"


class Whole(NamedTuple):
    """A run that nothing happens to: the calls it makes, and its state at the end."""

    points: list[Point]
    state: list[str]


pytestmark = [
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed"),
    pytest.mark.timeout(budget(300, 3600)),
]


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return an import path with the agent that asks the session."""
    folder = tmp_path_factory.mktemp("site")
    install(folder)
    return f"{folder}:{root / 'tests'}"


@pytest.fixture(autouse=True)
def _installed(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line find that agent."""
    monkeypatch.setenv("PYTHONPATH", site)


@pytest.fixture(scope="module")
def whole(site: str, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Return what is to be known of a run that nothing happens to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", site)
        place = SessionPlace.make(tmp_path_factory.mktemp("whole") / "p")
        found = points(place, CALLS)
        assert place.told() == ["SessionOpened 1", "SessionClosed 1 run_ended"]
        return Whole(found, place.state())


@pytest.fixture
def remains() -> Iterator[Remains]:
    """Return what sees everything that the test has started."""
    with Remains() as remains:
        yield remains


def after_resume(place: SessionPlace, remains: Remains, state: list[str]) -> Iterator[str]:
    """Go on with a run that was killed; yield what is wrong then."""
    resumed = place.run()
    if resumed.returncode != 0:
        yield f"resume ended with {resumed.returncode}: {resumed.stderr}"
    yield remains.trouble(place.home)
    if other := set(place.state()) ^ set(state):
        yield f"another state: {sorted(other)[:4]}"
    if left := leftovers(place.home / "runs"):
        yield f"left behind: {left}"
    if mismatches := api.verify(str(place.run_directory)).mismatches:
        yield f"does not verify: {mismatches}"
    if not place.told()[-1].endswith("run_ended"):
        yield f"the session was not closed: {place.told()}"


def done_once(place: SessionPlace) -> Iterator[str]:
    """Yield the requests that were not carried out exactly once."""
    counts = Counter(key for word, key, _ in place.log() if word == "begin")
    if counts != Counter(KEYS):
        yield f"carried out: {counts}"


def taken_up(place: SessionPlace, program: int) -> Iterator[str]:
    """Yield what is wrong with how a session was found again that lived when the runtime died."""
    facts = place.facts()
    attached = [fact.program for fact in facts if isinstance(fact, SessionAttached)]
    opened = [fact.token for fact in facts if isinstance(fact, SessionOpened)]
    if program and (not {*attached} <= {program} or opened != [1]):
        yield f"process {program} was not gone on with: {place.told()}"


def lives(place: SessionPlace) -> int:
    """Return the program that is ready when nobody looks after it; 0 for none."""
    if not (place.run_directory / "session/echo/1/box/state/ready").exists():
        return 0
    program = place.beat().program
    return program if is_alive(program) else 0


def hit(place: SessionPlace, point: Point, remains: Remains, state: list[str]) -> str:
    """Kill the runtime at one call, resume the run, and return what is wrong, if anything."""
    done = place.hit(point, KILL)
    program = lives(place)

    def troubles() -> Iterator[str]:
        if place.outlived(done, point):
            yield f"was not killed: {done.returncode} {done.stderr}"
        yield from after_resume(place, remains, state)
        yield from done_once(place)
        yield from taken_up(place, program)

    return first(place, troubles())


@pytest.mark.parametrize("chunk", CHUNKS)
def test_the_runtime_is_killed_at_a_call(
    chunk: int, tmp_path: Path, remains: Remains, whole: Whole, sweep: Sweep
) -> None:
    sweep.over(
        sweep.points(
            whole.points,
            every=60,
            kind=kind,
            must=LANDMARKS,
            most=3,
            chunk=chunk,
            chunks=len(CHUNKS),
        ),
        lambda point: hit(SessionPlace.make(tmp_path / str(point)), point, remains, whole.state),
    )


def left_at_work(home: Path) -> SessionPlace:
    """Return a run whose runtime was killed while the session works on the second request."""
    place = SessionPlace.make(home)
    with place.started() as process:
        place.begun_with("two.1.1")
        process.kill()
    return place


@pytest.mark.parametrize("chunk", CHUNKS)
def test_it_is_killed_again_when_it_is_resumed(
    chunk: int, tmp_path: Path, remains: Remains, whole: Whole, sweep: Sweep
) -> None:
    found = points(left_at_work(tmp_path / "points"), CALLS)
    sweep.over(
        sweep.points(found, every=120, most=1, chunk=chunk, chunks=len(CHUNKS)),
        lambda point: hit(left_at_work(tmp_path / str(point)), point, remains, whole.state),
    )


def killed(place: SessionPlace, seconds: float, remains: Remains, state: list[str]) -> str:
    with place.started() as process:
        place.wait(process, seconds)
        process.kill()
    program = lives(place)
    return first(
        place,
        after_resume(place, remains, state),
        done_once(place),
        taken_up(place, program),
    )


def test_the_runtime_is_killed_at_any_moment(
    tmp_path: Path, remains: Remains, whole: Whole, sweep: Sweep
) -> None:
    seconds = SessionPlace.make(tmp_path / "timed").seconds()
    sweep.over(
        sweep.moments(MOMENTS),
        lambda part: killed(
            SessionPlace.make(tmp_path / str(part)), seconds * part, remains, whole.state
        ),
    )


def test_the_same_process_serves_two_runtimes(
    tmp_path: Path, remains: Remains, whole: Whole
) -> None:
    place = SessionPlace.make(tmp_path / "p")
    with place.started() as process:
        place.begun_with("two.1.1")
        first_runtime = process.pid
        program = place.beat().program
        process.kill()
    assert is_alive(program)
    with place.started() as process:
        assert process.pid != first_runtime
        wait_for(lambda: "SessionAttached 1" in place.told() or process.poll() is not None)
        assert place.beat().program == program
        assert process.wait(60) == 0
    assert place.told() == ["SessionOpened 1", "SessionAttached 1", "SessionClosed 1 run_ended"]
    assert [*done_once(place)] == []
    assert set(place.state()) == set(whole.state)
    assert remains.trouble(place.home) == ""


def test_nobody_goes_on_with_the_run(
    tmp_path: Path, remains: Remains, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session ends by itself, and what is asked later is asked of another one."""
    monkeypatch.setenv("ECHO_LEASE", "0.5")
    place = SessionPlace.make(tmp_path / "p")
    with place.started() as process:
        place.begun_with("one.1.1")
        process.kill()
    assert remains.trouble(place.home) == ""
    assert place.run().returncode == 0
    assert "SessionClosed 1 lease_expired" in place.told()
    assert remains.trouble(place.home) == ""


PARTS = ("watcher", "program", "watcher and program", "watcher and runtime", "program and runtime",
         "all three")  # fmt: skip


@pytest.mark.parametrize("part", some("parts of a session", PARTS, 3))
def test_a_part_is_killed(
    part: str, tmp_path: Path, remains: Remains, whole: Whole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECHO_LOST", "2.5")
    place = SessionPlace.make(tmp_path / "p")
    with place.started() as process:
        place.begun_with("two.1.1")
        beat = place.beat()
        victims = {"runtime": process.pid, "watcher": beat.watcher, "program": beat.program}
        for name, pid in victims.items():
            if name in part or part == "all three":
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if "runtime" not in part and part != "all three":
            assert process.wait(60) == 0
    if "runtime" in part or part == "all three":
        assert [*filter(None, after_resume(place, remains, whole.state))] == []
    outcome = [line for line in whole.state if line.startswith(("status ", "workspace/"))]
    assert set(place.outcome()) == set(outcome)
    per_token = Counter((key, token) for word, key, token in place.log() if word == "begin")
    assert set(per_token.values()) == {1}
    assert remains.trouble(place.home) == ""


def test_one_that_wakes_late_has_no_say(
    tmp_path: Path, remains: Remains, whole: Whole, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session is stopped as a whole, given up, and wakes while another is at work."""
    monkeypatch.setenv("ECHO_LOST", "1.5")
    place = SessionPlace.make(tmp_path / "p")
    with place.started() as process:
        place.begun_with("two.1.1")
        stopped = stop_all(place.beat().watcher)
        process.kill()
    with place.started() as process:
        wait_for(lambda: "SessionOpened 2" in place.told())
        for pid in reversed(stopped):
            os.kill(pid, signal.SIGCONT)
        assert process.wait(60) == 0
    assert place.told()[:3] == ["SessionOpened 1", "SessionClosed 1 lost", "SessionOpened 2"]
    assert set(place.state()) == set(whole.state)
    assert remains.trouble(place.home) == ""
    assert not any(map(is_alive, stopped))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_runtime_is_told_to_stop(
    number: signal.Signals, tmp_path: Path, remains: Remains, whole: Whole
) -> None:
    place = SessionPlace.make(tmp_path / "p")
    with place.started() as process:
        place.begun_with("two.1.1")
        process.send_signal(number)
        assert process.wait(60) == 130
    assert place.told() == ["SessionOpened 1", "SessionClosed 1 interrupted"]
    assert remains.trouble(place.home) == ""
    assert [*filter(None, after_resume(place, remains, whole.state))] == []

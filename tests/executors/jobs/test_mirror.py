"""The tool of a job, under names that stay."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.executors.jobs.mirror import Mirror, is_stopped, last_state, stopped_why
from custody.executors.sessions.condition import Condition
from custody.executors.sessions.generation import Generation
from custody.model import layout
from custody.model import session as names
from custody.model.record import encode
from custody.model.session import Beat, Ended, SessionKind, SessionOrder
from custody.store.root import Root

pytestmark = pytest.mark.req("S-08", "S-17")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    with Root.open(str(tmp_path)) as root:
        yield root


def generation(root: Root) -> Generation:
    order = SessionOrder(token=3, level="L1", kind=SessionKind(name="tool", argv=("true",)))
    return Generation.create(root, order)


def beat(root: Root, made: Generation, number: int, heartbeat: int) -> None:
    data = Beat(beat=number, watcher=1, program=77, process="S", cpu=1.5, heartbeat=heartbeat)
    root.write(f"{made.path}/{names.BEAT}", encode(data))
    own = Path(root.path) / made.path / names.BOX / names.STATE / names.HEARTBEAT
    own.touch()
    os.utime(own, ns=(heartbeat, heartbeat))


def test_what_is_seen_of_the_tool_is_written_down(root: Root, tmp_path: Path) -> None:
    made = generation(root)
    mirror = Mirror(root, "tclsh", lambda: made)
    mirror.link(made)
    beat(root, made, 1, 5)
    assert mirror.see("busy")
    first = json.loads((tmp_path / layout.SESSION_STATE).read_text())
    assert (first["state"], first["token"], first["pid"], first["cpu_s"]) == ("BUSY", 3, 77, 1.5)
    assert (tmp_path / layout.HEARTBEAT).read_text().strip() == first["last_heartbeat"]
    beat(root, made, 2, 5)
    mirror.see("idle")
    then = json.loads((tmp_path / layout.SESSION_STATE).read_text())
    assert (then["state"], then["last_heartbeat"]) == ("READY", first["last_heartbeat"])
    assert then["last_node_heartbeat"] > first["last_node_heartbeat"]
    beat(root, made, 3, 6)
    mirror.see("idle")
    assert (tmp_path / layout.HEARTBEAT).read_text().strip() > first["last_heartbeat"]


def test_whose_state_it_is_is_said_from_the_beginning(root: Root, tmp_path: Path) -> None:
    made = generation(root)
    seen: tuple[tuple[Condition, str], ...] = (("starting", "STARTING"), ("busy", "BUSY"))
    for condition, word in seen:
        Mirror(root, "tclsh", lambda: made).see(condition)  # as each state of a job has its own
        said = json.loads((tmp_path / layout.SESSION_STATE).read_text())
        assert (said["state"], said["token"]) == (word, 3)


def test_its_logs_are_found_by_names_that_stay(root: Root, tmp_path: Path) -> None:
    made = generation(root)
    root.write(f"{made.path}/{names.STDOUT}", b"hello\n")
    Mirror(root, "innovus", lambda: made).link(made)
    assert (tmp_path / "session" / "innovus.stdout.log").read_text() == "hello\n"
    assert (tmp_path / "session" / "supervisor.log").readlink() == Path("tool/3/watcher.log")


def test_how_it_ended_is_kept(root: Root) -> None:
    made = generation(root)
    beat(root, made, 1, 5)
    root.write(f"{made.path}/{names.ENDED}", encode(Ended(reason="exited", signal=9)))
    state = Mirror(root, "tclsh", lambda: made).ended(made)
    assert (state.state, state.reason, state.signal, state.pid) == ("ENDED", "exited", 9, 77)
    assert last_state(root) == state


def test_the_heartbeat_of_a_tool_that_ended_before_anybody_looked_is_kept(
    root: Root, tmp_path: Path
) -> None:
    made = generation(root)
    mirror = Mirror(root, "tclsh", lambda: made)
    assert mirror.ended(made).last_heartbeat == ""
    beat(root, made, 1, 5)
    state = mirror.ended(made)
    assert (tmp_path / layout.HEARTBEAT).read_text() == f"{state.last_heartbeat}\n"
    assert mirror.ended(made).last_heartbeat == state.last_heartbeat


def test_a_tool_of_which_nobody_knows_the_end(root: Root) -> None:
    made = generation(root)
    assert Mirror(root, "tclsh", lambda: made).ended(made).reason == "unknown"


def test_a_file_tells_the_job_to_end(root: Root) -> None:
    mirror = Mirror(root, "tclsh", lambda: None)
    assert mirror.see("starting")
    assert not is_stopped(root)
    root.write(layout.SESSION_STOP, b"")
    assert is_stopped(root)
    assert not mirror.see("starting")
    assert stopped_why(root) == "the job was told to stop"
    root.write(layout.SESSION_STOP, b"by ann\nand more\n")
    assert stopped_why(root) == "the job was told to stop: by ann"

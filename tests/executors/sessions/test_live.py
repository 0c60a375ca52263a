"""A session that is open is believed by what its watcher writes anew, not by what lies there."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from custody.executors.sessions.generation import Generation
from custody.executors.sessions.lease import Leases
from custody.executors.sessions.live import LiveSession
from custody.model.session import SessionKind, SessionOrder
from custody.store.root import Root
from support.agent_run import wait_for
from support.remains import Remains

READY = ("sh", "-c", "echo > state/ready; exec sleep 600")


class Desk:
    """Opens sessions, and has none left at the end."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.root = Root.open(str(home))
        self.leases = Leases()

    def live(self, **fields: Any) -> LiveSession:
        quick = {"name": "s", "argv": READY, "beat": 0.05, "grace": 1.0, "lost": 3.0, **fields}
        kind = SessionKind(**quick)
        order = SessionOrder(token=1, level="L1", kind=kind)
        return LiveSession(Generation.create(self.root, order), kind, self.leases)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Remains() as remains:
        desk = Desk(tmp_path)
        yield desk
        desk.leases.close()
        desk.root.close()
        assert remains.trouble(tmp_path) == ""


def test_one_that_this_process_has_started(desk: Desk) -> None:
    live = desk.live()
    assert live.launch(str(desk.home)) == ""
    assert live.until_ready() == "idle"
    assert live.end(fence=False) is not None
    assert live.look() == "dead"


def test_what_was_written_before_proves_nothing(desk: Desk) -> None:
    """A watcher that was killed has left everything as if it were alive."""
    live = desk.live()
    desk.root.create(
        f"{live.generation.path}/beat.json", json.dumps({"beat": 7, "watcher": 1}).encode()
    )
    desk.root.create(f"{live.generation.path}/box/state/ready", b"")
    assert live.until_ready() == "lost"
    assert live.end(fence=True) is None
    assert live.generation.fenced() is not None


def test_a_watcher_of_ours_that_is_killed_is_missed_at_once(desk: Desk) -> None:
    live = desk.live(lost=600.0)
    live.launch(str(desk.home))
    live.until_ready()
    beat = live.generation.beat()
    assert beat is not None
    os.kill(beat.watcher, signal.SIGKILL)
    wait_for(lambda: live.look() == "lost")
    assert live.end(fence=True) is None


def test_one_whose_launcher_is_not_there(desk: Desk) -> None:
    live = desk.live(launcher=("/no/such",), lost=600.0)
    assert live.launch(str(desk.home)) == "/no/such: No such file or directory"
    assert live.until_ready() == "lost"
    assert live.end(fence=False) is None


def test_an_ack_is_waited_for(desk: Desk) -> None:
    live = desk.live()
    live.launch(str(desk.home))
    live.until_ready()
    answer = threading.Timer(0.2, live.generation.mailbox.acks.put, ("a.1.1", b"yes"))
    answer.start()
    assert live.listen("a.1.1", 60) == (b"yes", "busy", "", False)
    answer.join()
    assert live.listen("b.1.1", 0.1) == (None, "busy", "", False)
    live.end(fence=False)

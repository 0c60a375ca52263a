"""Whoever asks is served as long as there is somebody who could ask."""

from __future__ import annotations

import os
import select
from pathlib import Path

import pytest

from custody.sandbox.askers import Askers
from custody.supervise.descendants import children
from support.filters import asker, ended
from support.sandboxes import Site


@pytest.fixture
def poll() -> select.poll:
    return select.poll()


def test_one_that_has_ended_is_forgotten(poll: select.poll) -> None:
    askers = Askers(poll)
    with asker(lambda: os._exit(0)) as (listener, child):
        askers.add(os.dup(listener))
        ended(child)
        found = poll.poll(5000)
        assert found
        askers.serve([*found, (os.open("/dev/null", 0), select.POLLIN)])
        assert poll.poll(0) == []


def test_nothing_is_left_of_a_line(site: Site) -> None:
    for _ in range(3):
        assert site.run(site.confinement("L2"), "true").result.succeeded
    (server,) = children(site.reaper)
    held = [os.readlink(file) for file in Path(f"/proc/{server}/fd").iterdir()]
    assert len([link for link in held if "seccomp" in link]) <= 1, held

"""The runtime's side of a keeper: a chain is started, stopped, and told to have ended."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.model.request import Command
from custody.supervise import client
from custody.supervise import supervisor as supervisor_module
from custody.supervise.client import Keeper
from custody.supervise.descendants import children
from support.processes import descendants, wait_until_gone
from support.sandboxes import LEVELS, Site

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def keeper() -> Iterator[Keeper]:
    """Return a keeper that has started nothing yet."""
    forked = Keeper.fork()
    yield forked
    forked.close()


def start(keeper: Keeper, text: str, folder: Path) -> None:
    keeper.start((Command(argv=("sh", "-c", text)),), str(folder), ENVIRONMENT)


def heard(stream: int) -> bytes:
    """Wait for output, and return what there is of it."""
    assert select.select([stream], [], [], 20)[0]
    return os.read(stream, 1 << 16)


def test_chains_run_one_after_the_other(keeper: Keeper, tmp_path: Path) -> None:
    for number in (1, 2):
        start(keeper, f"echo {number}; echo e >&2; exit {number}", tmp_path)
        done = keeper.done()
        assert done is not None
        assert (done.end.exit_code, done.leftovers, done.survivors) == (number, 0, 0)
        assert heard(keeper.stdout) == b"%d\n" % number
        assert heard(keeper.stderr) == b"e\n"


def test_what_a_chain_leaves_is_counted(keeper: Keeper, tmp_path: Path) -> None:
    start(keeper, "setsid sleep 600 & setsid sleep 600 & exit 0", tmp_path)
    done = keeper.done()
    assert done is not None
    assert (done.end.exit_code, done.leftovers, done.survivors) == (0, 2, 0)


@pytest.mark.parametrize(("kill", "exit_code"), [(False, 7), (True, 128 + signal.SIGKILL)])
def test_a_chain_is_stopped(keeper: Keeper, tmp_path: Path, kill: bool, exit_code: int) -> None:
    start(keeper, "trap 'exit 7' TERM; echo on; while :; do sleep 0.01; done", tmp_path)
    heard(keeper.stdout)
    keeper.stop(kill=kill)
    done = keeper.done()
    assert done is not None
    assert done.end.exit_code == exit_code


def test_streams_never_block_the_runtime(keeper: Keeper) -> None:
    for stream in (keeper.stdout, keeper.stderr):
        with pytest.raises(BlockingIOError):
            os.read(stream, 1)


def test_a_keeper_that_is_gone_says_nothing(keeper: Keeper, tmp_path: Path) -> None:
    start(keeper, "true", tmp_path)
    assert keeper.done()
    os.kill(children(keeper._pid)[0], signal.SIGKILL)
    assert keeper.done() is None
    start(keeper, "true", tmp_path)
    keeper.stop(kill=True)
    assert keeper.done() is None


def test_closing_ends_what_runs(tmp_path: Path) -> None:
    keeper = Keeper.fork()
    start(keeper, "setsid sleep 600 & echo on; sleep 600", tmp_path)
    heard(keeper.stdout)
    started = descendants(keeper._pid)
    keeper.close()
    assert len(started) >= 3
    wait_until_gone([keeper._pid, *started])


def test_a_host_program_may_have_waited_for_it(tmp_path: Path) -> None:
    keeper = Keeper.fork()
    start(keeper, "true", tmp_path)
    assert keeper.done()
    os.kill(children(keeper._pid)[0], signal.SIGKILL)
    os.waitpid(keeper._pid, 0)
    keeper.close()


@pytest.mark.parametrize("level", LEVELS)
def test_a_keeper_that_was_stopped_is_given_up(
    site: Site, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor_module, "LOST_AFTER", 0.2)
    monkeypatch.setattr(client, "LOST_AFTER", 0.2)
    guardian = site.guardian
    assert site.run(site.confinement(level), "true").result.succeeded
    started = descendants(guardian)
    os.kill(children(guardian)[0], signal.SIGSTOP)
    ran = site.run(site.confinement(level), "true", timeout=0.1)
    assert ran.result.ended_by == "supervisor_lost"
    wait_until_gone([guardian, *started])
    assert site.run(site.confinement(level), "true").result.succeeded

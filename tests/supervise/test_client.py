"""The runtime's side of a server: a chain is started, stopped, and told to have ended."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.model.request import Command
from custody.supervise import client as client_module
from custody.supervise import supervisor as supervisor_module
from custody.supervise.client import Client
from custody.supervise.descendants import children
from support.processes import descendants, wait_until_gone
from support.sandboxes import LEVELS, Site

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def client() -> Iterator[Client]:
    """Return a server that has started nothing yet."""
    forked = Client.fork()
    yield forked
    forked.close()


def start(client: Client, text: str, folder: Path) -> None:
    client.start((Command(argv=("sh", "-c", text)),), str(folder), ENVIRONMENT)


def heard(stream: int) -> bytes:
    """Wait for output, and return what there is of it."""
    assert select.select([stream], [], [], 20)[0]
    return os.read(stream, 1 << 16)


def test_chains_run_one_after_the_other(client: Client, tmp_path: Path) -> None:
    for number in (1, 2):
        start(client, f"echo {number}; echo e >&2; exit {number}", tmp_path)
        done = client.done()
        assert done is not None
        assert (done.end.exit_code, done.leftovers, done.survivors) == (number, 0, 0)
        assert heard(client.stdout) == b"%d\n" % number
        assert heard(client.stderr) == b"e\n"


def test_what_a_chain_leaves_is_counted(client: Client, tmp_path: Path) -> None:
    start(client, "setsid sleep 600 & setsid sleep 600 & exit 0", tmp_path)
    done = client.done()
    assert done is not None
    assert (done.end.exit_code, done.leftovers, done.survivors) == (0, 2, 0)


@pytest.mark.parametrize(("kill", "exit_code"), [(False, 7), (True, 128 + signal.SIGKILL)])
def test_a_chain_is_stopped(client: Client, tmp_path: Path, kill: bool, exit_code: int) -> None:
    start(client, "trap 'exit 7' TERM; echo on; while :; do sleep 0.01; done", tmp_path)
    heard(client.stdout)
    client.stop(kill=kill)
    done = client.done()
    assert done is not None
    assert done.end.exit_code == exit_code


def test_streams_never_block_the_runtime(client: Client) -> None:
    for stream in (client.stdout, client.stderr):
        with pytest.raises(BlockingIOError):
            os.read(stream, 1)


def test_a_server_that_is_gone_says_nothing(client: Client, tmp_path: Path) -> None:
    start(client, "true", tmp_path)
    assert client.done()
    os.kill(children(client._pid)[0], signal.SIGKILL)
    assert client.done() is None
    start(client, "true", tmp_path)
    client.stop(kill=True)
    assert client.done() is None


def test_closing_ends_what_runs(tmp_path: Path) -> None:
    client = Client.fork()
    start(client, "setsid sleep 600 & echo on; sleep 600", tmp_path)
    heard(client.stdout)
    started = descendants(client._pid)
    client.close()
    assert len(started) >= 3
    wait_until_gone([client._pid, *started])


def test_a_host_program_may_have_waited_for_it(tmp_path: Path) -> None:
    client = Client.fork()
    start(client, "true", tmp_path)
    assert client.done()
    os.kill(children(client._pid)[0], signal.SIGKILL)
    os.waitpid(client._pid, 0)
    client.close()


@pytest.mark.parametrize("level", LEVELS)
def test_a_server_that_was_stopped_is_given_up(
    site: Site, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor_module, "LOST_AFTER", 0.2)
    monkeypatch.setattr(client_module, "LOST_AFTER", 0.2)
    reaper = site.reaper
    assert site.run(site.confinement(level), "true").result.succeeded
    started = descendants(reaper)
    os.kill(children(reaper)[0], signal.SIGSTOP)
    ran = site.run(site.confinement(level), "true", timeout=0.1)
    assert ran.result.ended_by == "supervisor_lost"
    wait_until_gone([reaper, *started])
    assert site.run(site.confinement(level), "true").result.succeeded

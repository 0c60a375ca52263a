"""What a confined stage sees, what it leaves, and how it ends."""

from __future__ import annotations

import os
import socket
import sys
import threading
from pathlib import Path

import pytest

from custody.model.request import Command
from custody.supervise.supervisor import Supervisor
from support.processes import wait_until_gone
from support.remains import mounts_here
from support.sandboxes import CONFINED, Site

PYTHON = sys.executable

DAEMON = """
import os, sys, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    os.wait()
print('started', flush=True)
"""


def test_commands_of_a_chain_share_their_sandbox(site: Site) -> None:
    ran = site.chain(
        site.confinement("L3"),
        Command(argv=("sh", "-c", "echo one > /tmp/one; mkdir made")),
        Command(argv=("cat", "/tmp/one"), joined_by="&&"),
        Command(argv=("tr", "o", "0"), joined_by="|"),
        Command(argv=("pwd",), workdir="made", joined_by="&&"),
    )
    assert ran.stdout == "0ne\n/ws/made\n"


def test_paths_in_the_environment_are_those_inside(site: Site) -> None:
    site.environment |= {
        "TMPDIR": f"{site.cache}/tmp",
        "GOCACHE": f"{site.workspace}/go",
        "CUSTODY_RUN_DIR": str(site.run_folder),
        "CUSTODY_STAGE_DIR": str(site.run_folder),
    }
    ran = site.run(site.confinement("L3"), "env")
    assert {"TMPDIR=/cache/tmp", "GOCACHE=/ws/go"} <= set(ran.stdout.split())
    assert str(site.run_folder) not in ran.stdout


def test_another_confinement_gets_another_sandbox(site: Site) -> None:
    others = len([name for _, name in socket.if_nameindex() if name != "lo"])
    for network, count in (("loopback", 0), ("host", others), ("loopback", 0), ("host", others)):
        script = "import socket; print(len([n for _, n in socket.if_nameindex() if n != 'lo']))"
        ran = site.run(site.confinement("L3", network=network), PYTHON, "-c", script)
        assert ran.stdout.strip() == str(count)


def test_confined_and_other_lines_take_turns(site: Site) -> None:
    for level in ("L3", "L1", "L2", "L3", "L2", "L1"):
        ran = site.run(site.confinement(level), PYTHON, "-c", DAEMON)
        assert (ran.stdout, ran.result.leftovers, ran.result.survivors) == ("started\n", 3, 0)


@pytest.mark.parametrize("level", CONFINED)
def test_nothing_outlives_a_line(site: Site, level: str) -> None:
    before = mounts_here(site.run_folder)
    ran = site.run(site.confinement(level), PYTHON, "-c", DAEMON)
    assert ran.stdout == "started\n"
    assert (ran.result.leftovers, ran.result.survivors) == (3, 0)
    assert mounts_here(site.run_folder) == before


@pytest.mark.parametrize("level", CONFINED)
@pytest.mark.parametrize("trap", ["", "trap '' TERM; "])
def test_the_time_out_ends_everything(site: Site, level: str, trap: str) -> None:
    line = f"{trap}echo on; while :; do sleep 1000; done"
    for timeout in (1, 5, 25):  # on a slow machine it is ended before it has begun
        ran = site.run(site.confinement(level), "sh", "-c", line, timeout=timeout)
        assert ran.result.ended_by == "timeout"
        assert ran.result.survivors == 0
        if ran.stdout:
            break
    assert ran.stdout == "on\n"
    assert site.run(site.confinement(level), "true").result.succeeded


def test_a_sandbox_ends_with_its_server(site: Site) -> None:
    started = threading.Event()
    result: list[object] = []

    def run() -> None:
        started.set()
        result.append(site.run(site.confinement("L3"), "sleep", "1000").result.ended_by)

    site.run(site.confinement("L3"), "true")
    client = site.supervisor._client
    assert client is not None
    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    inside: list[int] = []
    while not inside:
        listed = Path(f"/proc/{client._pid}/task/{client._pid}/children").read_text()
        inside = [int(pid) for pid in listed.split()]
    os.kill(client._pid, 9)
    thread.join()
    wait_until_gone(inside)
    assert result == ["supervisor_lost"]


@pytest.mark.parametrize("level", CONFINED)
@pytest.mark.parametrize("name", ["no-such-tool", "./missing"])
def test_what_cannot_be_started_is_told(site: Site, level: str, name: str) -> None:
    assert site.run(site.confinement(level), name).result.failure == f"tool_not_found: {name}"


def test_two_sandboxes_do_not_disturb_each_other(site: Site) -> None:
    said: list[str] = []

    def work(name: str) -> None:
        folder = site.home / name
        folder.mkdir()
        with Supervisor() as supervisor:
            own = Site(supervisor, folder)
            script = (
                f"for i in 1 2 3; do echo {name} >> /tmp/x; echo {name} > y; done; cat /tmp/x y"
            )
            said.extend(own.run(own.confinement("L3"), "sh", "-c", script).stdout for _ in range(3))

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["one\n" * 4] * 3 + ["two\n" * 4] * 3

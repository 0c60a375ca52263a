"""What a silent line must do so that it is not taken for one that hangs."""

from __future__ import annotations

import math
import socket
import time

import pytest

from custody.supervise.signs_of_life import IDLE_SHARE, LONGEST_PAUSE, SignsOfLife
from support.processes import Bench
from support.sandboxes import LEVELS, Site
from support.servers import Server
from support.sweep import paired

QUIET = 0.5
SILENT = 2.5
"""A limit for what comes at its own pace, which a busy machine delays."""
COMPUTES = """
import time
print("begun", flush=True)
ends = time.monotonic() + 1.25
while time.monotonic() < ends:
    pass
"""
IN_CHILDREN = """
import subprocess, sys, time
print("begun", flush=True)
ends = time.monotonic() + 1.25
while time.monotonic() < ends:
    subprocess.run([sys.executable, "-S", "-c", "sum(range(3000000))"])
"""
COMPUTING = {"itself": COMPUTES, "children": IN_CHILDREN}
LISTENS = """
import socket, sys
print("begun", flush=True)
host, _, port = sys.argv[1].rpartition(":")
with socket.create_connection((host, int(port))) as server:
    while server.recv(100):
        pass
"""


def drip(connection: socket.socket) -> None:
    """Send one byte now and then, for longer than the limit."""
    for _ in range(20):
        connection.sendall(b".")
        time.sleep(SILENT / 10)


def listen(connection: socket.socket) -> None:
    """Say nothing until the other side has gone."""
    connection.recv(1)


@pytest.mark.req("U-03")
class TestALineThatSaysNothing:
    @pytest.mark.parametrize(("by", "level"), paired("computing", COMPUTING, LEVELS))
    def test_it_is_not_ended_while_it_computes(self, site: Site, by: str, level: str) -> None:
        ran = site.run(site.confinement(level), "python3", "-S", "-c", COMPUTING[by], quiet=QUIET)
        assert (ran.result.failure_reason, ran.stdout) == ("", "begun\n")
        assert ran.result.seconds > 2 * QUIET

    def test_it_is_not_ended_while_bytes_come(self, site: Site) -> None:
        with Server(drip) as server:
            inside = site.reaching("L3", server.name)
            ran = site.run(inside, "python3", "-S", "-c", LISTENS, server.name, quiet=SILENT)
        assert ran.result.failure_reason == ""
        assert ran.result.seconds > 1.5 * SILENT

    @pytest.mark.parametrize("level", LEVELS)
    def test_it_is_ended_when_it_waits(self, site: Site, level: str) -> None:
        hangs = "echo begun; sleep 300"
        ran = site.run(site.confinement(level), "sh", "-c", hangs, quiet=0.4)
        assert ran.result.ended_by == "inactivity"

    def test_a_server_that_says_nothing_is_no_sign(self, site: Site) -> None:
        with Server(listen) as server:
            inside = site.reaching("L3", server.name)
            ran = site.run(inside, "python3", "-S", "-c", LISTENS, server.name, quiet=QUIET)
        assert ran.result.ended_by == "inactivity"

    def test_it_is_ended_when_it_has_worked_and_waits(self, bench: Bench) -> None:
        from custody.supervise.supervisor import Limits

        text = "echo begun; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 300"
        assert bench.shell(text, Limits(60, quiet=0.5)).result.ended_by == "inactivity"


class TestSigns:
    def test_without_a_limit_nobody_looks(self) -> None:
        assert SignsOfLife(math.inf, lambda: 0, lambda: 0).next == math.inf

    def test_a_long_limit_is_looked_at_now_and_then(self) -> None:
        before = time.monotonic()
        assert SignsOfLife(900, lambda: 0, lambda: 0).next - before <= LONGEST_PAUSE + 1

    @pytest.mark.parametrize(
        ("computed", "passed", "sign"),
        [(0.0, 0, False), (5.0, 0, True), (100 * IDLE_SHARE / 2, 0, False), (0.0, 1, True)],
    )
    def test_who_only_waits_computes_a_little(
        self, computed: float, passed: int, sign: bool
    ) -> None:
        signs = SignsOfLife(1000, lambda: computed, lambda: passed)
        assert signs.look(time.monotonic() + 100) is sign

    def test_only_what_is_new_counts(self) -> None:
        signs = SignsOfLife(1, lambda: 7, lambda: 9)
        now = time.monotonic()
        assert signs.look(now + 1)
        assert not signs.look(now + 2)

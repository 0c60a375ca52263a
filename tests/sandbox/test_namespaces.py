"""Processes in namespaces of their own see and reach each other only."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from custody.sandbox import kernel, namespaces
from custody.supervise.descendants import children, descendants
from support.forking import fork
from support.overlay import in_child
from support.privileges import lose
from support.processes import wait_until_gone
from support.sandboxes import Site


@pytest.mark.parametrize("what", ["environ", "mem", "maps", "fd/3", "root/etc", "cwd"])
def test_the_first_process_of_a_sandbox_gives_nothing_away(site: Site, what: str) -> None:
    ran = site.run(site.confinement("L3"), "ls", "-lL", f"/proc/1/{what}/")
    assert not ran.result.succeeded
    opened = site.run(site.confinement("L3"), "cat", f"/proc/1/{what}")
    assert not opened.result.succeeded
    assert opened.stdout == ""


def test_the_first_process_of_a_sandbox_cannot_be_killed(site: Site) -> None:
    ran = site.run(site.confinement("L3"), "sh", "-c", "kill -9 1; kill -STOP 1; echo alive")
    assert ran.stdout == "alive\n"


def test_no_program_has_a_right_of_root(site: Site) -> None:
    ran = site.run(site.confinement("L3"), "grep", "Cap[IPEA]", "/proc/self/status")
    assert {line.split()[1] for line in ran.stdout.splitlines()} == {"0" * 16}, ran


@pytest.mark.req("G-06")
def test_the_control_groups_of_the_machine_are_not_told(site: Site) -> None:
    if not Path("/proc/self/cgroup").read_bytes():
        pytest.skip("no hierarchy of control groups is mounted")
    ran = site.run(site.confinement("L3"), "cat", "/proc/self/cgroup")
    inside, outside = (
        {line.rpartition(":")[2] for line in text.splitlines()}
        for text in (ran.stdout, Path("/proc/self/cgroup").read_text())
    )
    assert inside
    assert not inside & (outside - {"/"})


def test_only_processes_of_the_line_are_seen(site: Site) -> None:
    script = "import os; print(*[n for n in os.listdir('/proc') if n.isdigit()])"
    ran = site.run(site.confinement("L3"), sys.executable, "-c", script)
    assert len(ran.stdout.split()) == 1, "the first process of the sandbox is not one of them"


@pytest.mark.req("G-11")
def test_a_process_that_lets_nobody_look_at_it_is_not_seen_by_others(site: Site) -> None:
    script = """
import ctypes, os, signal
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    os.write(writer, b'x')
    signal.pause()
os.read(reader, 1)
print(os.path.exists(f'/proc/{child}'), os.path.exists('/proc/1'))
print(sorted(os.readlink(f'/proc/self/fd/{n}').split(':')[0] for n in (0, 1, 2)))
print([n for n in os.listdir('/proc/self/fd') if int(n) > writer + 1])
os.kill(child, 9)
"""
    ran = site.run(site.confinement("L3"), sys.executable, "-c", script)
    assert ran.stdout.splitlines() == ["False False", "['pipe', 'pipe', 'pipe']", "[]"], ran


TALK = """
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
    print("outside")
except ConnectionRefusedError:
    print("inside")
"""


@pytest.mark.parametrize(("network", "reached"), [("loopback", "inside"), ("host", "outside")])
def test_an_open_network_is_as_open_as_it_says(site: Site, network: str, reached: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        ran = site.run(site.confinement("L3", network=network), sys.executable, "-c", TALK, port)
    assert ran.stdout == f"{reached}\n", ran


def status(*names: str) -> list[str]:
    """Return what the kernel says of this thread."""
    lines = Path("/proc/thread-self/status").read_text().splitlines()
    said = dict(line.split(":", 1) for line in lines)
    return [said[name].strip() for name in names]


def test_everybody_inside_is_the_same_user_without_rights(site: Site) -> None:
    told = "id -u; id -g; id -G; hostname; grep -E 'Cap(Eff|Prm|Inh|Amb)' /proc/self/status"
    ran = site.run(site.confinement("L3"), "sh", "-c", told)
    user, group, groups, host, *rights = ran.stdout.splitlines()
    assert (user, group, host) == ("1000", "1000", namespaces.HOST_NAME)
    assert set(groups.split()) <= {"1000", "65534"}
    assert {line.split()[1] for line in rights} == {"0" * 16}


def test_nobody_inside_can_choose_groups(site: Site) -> None:
    ran = site.run(site.confinement("L3"), "cat", "/proc/self/setgroups")
    assert ran.stdout == "deny\n"


def test_the_first_process_of_a_sandbox_has_no_right_of_root_either(site: Site) -> None:
    """It is seen from outside alone, and serves the programs of the line."""
    script = "touch there; while [ ! -e go ]; do sleep 0.02; done"
    confinement = site.confinement("L3", layered=False)
    site.run(confinement, "true")
    server = site.reaper
    line = threading.Thread(target=site.run, args=(confinement, "sh", "-c", script))
    line.start()
    try:
        while not (site.workspace / "there").exists():
            assert line.is_alive()
            time.sleep(0.01)
        said = [status_of(process) for process in descendants(server)]
        first = [one for one in said if one["NSpid"].split()[1:] == ["1"] and one["working"]]
    finally:
        (site.workspace / "go").touch()
        line.join()
    assert len(first) == 1
    assert {first[0][f"Cap{kind}"] for kind in ("Eff", "Prm", "Inh", "Amb")} == {"0" * 16}
    assert (first[0]["NoNewPrivs"], first[0]["Seccomp"]) == ("1", "2")


def status_of(process: int) -> dict[str, str]:
    """Return what the kernel says of a process, and whether it has one of its own at work.

    Of one that has ended meanwhile, as each pause of a script does, it says nothing.
    """
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return {"NSpid": ""}
    said = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return said | {"working": "yes" if children(process) else ""}


def test_capabilities_are_given_up_for_good() -> None:
    def work() -> list[str]:
        namespaces.drop_capabilities()
        return status("CapEff", "CapPrm", "CapInh")

    assert in_child(work) == ["0" * 16] * 3


def test_a_process_ends_with_its_parent() -> None:
    """One that was started with it, and not one whose parent was gone already."""

    def work() -> int:
        told, tell = os.pipe()
        child = fork()
        if child == 0:
            namespaces.die_with_parent()
            os.write(tell, b"x")
            signal.pause()
        os.read(told, 1)
        return child

    left = in_child(work)
    wait_until_gone([left])


def test_memory_is_hidden() -> None:
    def work() -> int:
        namespaces.hide_memory()
        return os.stat("/proc/self/mem").st_uid

    assert in_child(work) == 0, "the files of such a process belong to root"


if os.geteuid() == 0:

    def test_root_becomes_somebody_else_in_one_thread() -> None:
        def work() -> tuple[list[str], list[str]]:
            os.setgroups([7, 8])
            other: list[list[str]] = []

            def leave() -> None:
                namespaces.become(65534)
                other.append(status("Uid", "Gid", "Groups"))

            thread = threading.Thread(target=leave)
            thread.start()
            thread.join()
            return other[0], status("Uid")

        everywhere = "\t".join(["65534"] * 4)
        assert in_child(work) == ([everywhere, everywhere, ""], ["0\t0\t0\t0"])


_SETPCAP = 1 << 8
_GET_SECURE_BITS = 27
RIGHTS = "import re; print(re.search('CapEff:(.*)', open('/proc/self/status').read())[1].strip())"


@pytest.mark.req("G-28")
@pytest.mark.skipif(os.geteuid() != 0, reason="is about root")
def test_root_that_may_not_give_itself_up_gains_nothing_by_a_program() -> None:
    def work() -> str:
        lose(_SETPCAP)
        namespaces.drop_capabilities()
        kernel.prctl(38, 1)
        return subprocess.run(
            [sys.executable, "-c", RIGHTS], capture_output=True, text=True, check=True
        ).stdout

    assert int(in_child(work), 16) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="is about root")
def test_being_root_gives_a_program_nothing() -> None:
    """Also where it could gain something by being started: no filter and no domain is there yet."""

    def work() -> tuple[int, str]:
        namespaces.drop_capabilities()
        ran = subprocess.run(
            [sys.executable, "-c", RIGHTS], capture_output=True, text=True, check=True
        )
        return kernel.prctl(_GET_SECURE_BITS), ran.stdout

    bits, rights = in_child(work)
    assert bits & 0b11 == 0b11, "and it stays so"
    assert int(rights, 16) == 0

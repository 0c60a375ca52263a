"""Every way out, at every level; and that each of them is one where nothing is confined."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from custody.errors import PathRefused
from custody.sandbox import landlock
from custody.sandbox.left_open import LEFT_OPEN, OLDER, left_open
from custody.store.root import Root
from custody.supervise.supervisor import Supervisor
from support.attacks import MAY_BE_MISSING, kinds
from support.escape_world import World
from support.sandboxes import Site

Outcomes = dict[str, dict[str, str]]

IS_ROOT = os.geteuid() == 0
ALL = tuple(kinds(root=IS_ROOT))

HOLES_AT_L2 = {
    "holdout_name": "hidden paths",
    "holdout_read": "hidden paths",
    "stat": "names",
    "listxattr": "names",
    "getxattr": "names",
    "file_getattr": "names",
    "readlink": "names",
    "statfs": "names",
    "work_there": "names",
    "watch": "names",
    "chmod": "modes",
    "chown": "modes",
    "utime": "modes",
    "device_times": "modes",
    "device_times_by_descriptor": "modes",
    "folder_mode": "modes",
    "folder_times": "modes",
    "folder_owner": "modes",
    "tool_mode": "modes",
    "tool_mode_by_descriptor": "modes",
    "tool_owner": "modes",
    "tool_times": "modes",
    "cmdline": "arguments",
    "descriptors": "arguments",
    "arguments_of_custody": "arguments",
    "end_of_another": "arguments",
    "groups_of_another": "arguments",
    "limits_of_another": "arguments",
    "mounts_of_another": "arguments",
    "processors_of_another": "arguments",
    "session_of_another": "arguments",
    "state_of_another": "arguments",
    "control_group": "machine",
    "kernel_command_line": "machine",
    "keys": "machine",
    "list_connections": "machine",
    "list_locks": "machine",
    "list_memory_segments": "machine",
    "list_mounts": "machine",
    "list_mounts_by_call": "machine",
    "list_sockets": "machine",
    "run_directory_by_links": "run directory",
    "run_directory_in_mounts": "run directory",
    "run_directory_in_variables": "run directory",
}
"""What succeeds at L2, and which entry of its list says so."""
HOLES_OF_ROOT = {
    "device_mode": "modes",
    "device_mode_by_descriptor": "modes",
    "device_owner": "modes",
    "system_folder_mode": "modes",
    "system_folder_owner": "modes",
    "system_folder_times": "modes",
    "kernel_areas": "machine",
    "kernel_page_owners": "machine",
    "kernel_page_types": "machine",
    "kernel_pages": "machine",
    "kernel_slabs": "machine",
    "kernel_timers": "machine",
}
"""What more succeeds there if it is root who tries."""
HOLES_BEFORE_SCOPES = {
    "signal": "signals",
    "signal_by_pidfd": "signals",
    "signal_by_pipe": "signals",
    "signal_by_pipe_to_group": "signals",
    "signal_by_pipe_to_thread": "signals",
    "signal_by_socket": "signals",
    "signal_queued": "signals",
    "signal_to_thread": "signals",
}
"""What more succeeds there on a kernel whose Landlock cannot keep signals inside."""
if not landlock.has_scopes():
    HOLES_AT_L2 |= HOLES_BEFORE_SCOPES
WITHIN_A_GATE = set() if landlock.abi() >= landlock.ABI_WITH_TCP else {"tcp_bind"}
"""What succeeds at L3 with a gate where Landlock knows of no ports: in a network of the sandbox's
own, of which nobody else is a part."""


def outcomes_in(folder: Path) -> Outcomes:
    """Return what became of every attempt at every level."""
    with ExitStack() as stack:
        world = World(Site(stack.enter_context(Supervisor()), folder), folder, stack)

        def at(level: str, *reach: str) -> dict[str, str]:
            def run(argv: Sequence[str], stdin: str) -> str:
                confinement = msgspec.structs.replace(world.site.attempt(level), reach=reach)
                ran = world.site.run(confinement, *argv, stdin=stdin)
                assert ran.result.succeeded, ran
                return ran.stdout

            return world.attempt(run)

        found = {"L3": at("L3"), "L2": at("L2")}
        found["L3 with a gate"] = at("L3", "api.example.com:443")
        if landlock.abi() >= landlock.ABI_WITH_TCP:
            found["L2 with a gate"] = at("L2", "api.example.com:443")
        assert (world.outside / "victim.txt").read_text() == "victim"
        assert (world.outside / "input.txt").read_text() == "input"
        found["L1"] = world.attempt(world.unconfined)
        return found


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """Return what became of every attempt, made by whoever runs the tests."""
    return outcomes_in(tmp_path_factory.mktemp("escapes"))


@pytest.mark.req("P-18", "G-02", "G-05", "G-06", "G-11")
@pytest.mark.parametrize("name", ALL)
def test_the_attempt_succeeds_where_nothing_is_confined(outcomes: Outcomes, name: str) -> None:
    assert outcomes["L1"][name] in {"ok", *MAY_BE_MISSING.get(name, ())}


@pytest.mark.req("P-18", "G-02", "G-05", "G-06", "G-11")
@pytest.mark.parametrize("name", ALL)
def test_the_attempt_fails_at_l3(outcomes: Outcomes, name: str) -> None:
    assert outcomes["L3"][name] != "ok"
    assert outcomes["L3"][name].startswith("E"), "the driver itself failed"
    assert outcomes["L3"][name] not in {"EEXIST", "EADDRINUSE"}, "it was not tried"


def test_a_gate_opens_no_other_way(outcomes: Outcomes) -> None:
    for level in ("L2", "L3"):
        plain, gated = outcomes[level], outcomes.get(f"{level} with a gate", {})
        more = {name for name, told in gated.items() if told == "ok" != plain[name]}
        assert more == (WITHIN_A_GATE if level == "L3" else set())
        assert [name for name, told in gated.items() if not told.startswith(("E", "ok"))] == []


@pytest.mark.req("G-08")
@pytest.mark.parametrize("name", ALL)
def test_the_attempt_fails_at_l2_unless_it_is_a_known_hole(outcomes: Outcomes, name: str) -> None:
    is_hole = name in HOLES_AT_L2 or name in HOLES_OF_ROOT
    is_there = outcomes["L1"][name] == "ok"
    assert (outcomes["L2"][name] == "ok") == (is_hole and is_there), outcomes["L2"][name]


@pytest.mark.req("G-08")
def test_the_list_of_what_l2_leaves_open_is_what_is_open() -> None:
    told = {opening.name for opening in left_open(landlock.abi())}
    tried = {*HOLES_AT_L2.values()}
    assert {opening.name for opening in LEFT_OPEN} <= tried <= told
    assert {*HOLES_BEFORE_SCOPES.values()} <= {opening.name for _, opening in OLDER}
    assert {*HOLES_AT_L2, *HOLES_OF_ROOT} <= set(kinds(root=True))
    assert HOLES_OF_ROOT.keys().isdisjoint(kinds(root=False))


def test_there_are_as_many_attempts_as_there_must_be() -> None:
    assert len(kinds(root=True)) >= 290
    assert len(kinds(root=False)) >= 205


AS_ANOTHER_USER = """
import ctypes, json, os, sys
from pathlib import Path
sys.path[:0] = [sys.argv[2]]
import custody.supervise.client
import custody.supervise.limits.watch
from sandbox.test_escapes import outcomes_in
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as a process that was started by that user
os.environ |= {"HOME": sys.argv[1], "PATH": "/usr/bin:/bin"}
sys.executable = "/usr/bin/python3"
print(json.dumps(outcomes_in(Path(sys.argv[1]))))
"""

if IS_ROOT:

    @pytest.mark.req("P-18", "G-05", "G-06", "G-08", "G-11")
    def test_another_user_gets_no_farther(public: Path, root: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-c", AS_ANOTHER_USER, public, root / "tests"],
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        told: Outcomes = json.loads(done.stdout)
        assert set(told["L1"]) == set(kinds(root=False))
        for name, free in told["L1"].items():
            assert free in {"ok", *MAY_BE_MISSING.get(name, ())}, name
        is_there = {name for name in HOLES_AT_L2 if told["L1"][name] == "ok"}
        expected = {"L3": set(), "L3 with a gate": WITHIN_A_GATE}
        for level, found in told.items():
            if level != "L1":
                open_ = {name for name, outcome in found.items() if outcome == "ok"}
                assert open_ == expected.get(level, is_there), level


LOCK = "import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)"


@pytest.mark.parametrize("level", ["L2", "L3"])
def test_a_file_that_is_shown_can_be_locked_as_long_as_a_stage_runs(site: Site, level: str) -> None:
    """Whoever may read a file may lock it; no more comes of it than that somebody has to wait."""
    shown = site.home / "shown"
    shown.write_text("shown")
    confinement = site.confinement(level)
    seeing = msgspec.structs.replace(confinement, readable=(*confinement.readable, str(shown)))
    with shown.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert not site.run(seeing, "python3", "-c", LOCK, str(shown)).result.succeeded
        fcntl.flock(file, fcntl.LOCK_UN)
        assert site.run(seeing, "python3", "-c", LOCK, str(shown)).result.succeeded
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


CONNECT = "import socket, sys; socket.socket(1).connect(sys.argv[1])"


def test_the_hole_of_l3_is_a_socket_in_a_folder_that_it_is_shown(site: Site) -> None:
    """No mount and no rule of Landlock keeps a process from a socket that it can name."""
    shown = site.home / "shown"
    shown.mkdir()
    found = set()
    with ExitStack() as stack:
        for folder in (shown, site.cache, site.workspace):
            stack.enter_context(door := socket.socket(socket.AF_UNIX)).bind(str(folder / "d"))
            door.listen()
        for path in (f"{shown}/d", "/cache/d", "/ws/d"):
            confinement = site.confinement("L3")
            seeing = msgspec.structs.replace(
                confinement, readable=(*confinement.readable, str(shown))
            )
            if site.run(seeing, sys.executable, "-c", CONNECT, path).result.succeeded:
                found.add(path)
    assert found == {f"{shown}/d", "/cache/d"}


@pytest.mark.req("P-18")
@pytest.mark.parametrize("level", ["L2", "L3"])
def test_a_symlink_that_was_left_is_not_followed_by_the_runtime(site: Site, level: str) -> None:
    (site.home / "secret.txt").write_text("secret")
    confinement = site.confinement(level)
    line = f"ln -s {site.home}/secret.txt file; ln -s {site.home} folder; ln -s /proc/self/fd fds"
    assert site.run(confinement, "sh", "-c", line).result.succeeded
    left = confinement.layers.upper if confinement.layers else str(site.workspace)
    assert os.readlink(f"{left}/file") == f"{site.home}/secret.txt"
    with Root.open(left) as root:
        for path in ("file", "folder/secret.txt", "fds/0"):
            with pytest.raises(PathRefused):
                root.read(path)

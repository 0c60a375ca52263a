"""Every way out, at every level; and that each of them is one where nothing is confined."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import msgspec
import pytest

from custody.errors import PathRefused
from custody.sandbox.left_open import LEFT_OPEN
from custody.store.root import Root
from custody.supervise.supervisor import Supervisor
from support.escape_world import ALL, World
from support.escapes import MAY_BE_MISSING
from support.sandboxes import Site

Outcomes = dict[str, dict[str, str]]

HOLES_AT_L2 = {
    "holdout_name": "hidden paths",
    "holdout_read": "hidden paths",
    "stat": "names",
    "listxattr": "names",
    "watch": "names",
    "chmod": "modes",
    "chown": "modes",
    "utime": "modes",
    "device_times": "modes",
    "folder_mode": "modes",
    "folder_times": "modes",
    "folder_owner": "modes",
    "cmdline": "arguments",
    "descriptors": "arguments",
    "arguments_of_custody": "arguments",
    "run_directory_by_links": "run directory",
}
"""What succeeds at L2, and which entry of its list says so."""
if os.geteuid() == 0:
    HOLES_AT_L2 |= {
        "device_mode": "modes",
        "device_mode_by_descriptor": "modes",
        "device_owner": "modes",
        "system_folder_mode": "modes",
    }


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcomes]:
    """Return what became of every attempt at every level."""
    folder = tmp_path_factory.mktemp("escapes")
    with ExitStack() as stack:
        world = World(Site(stack.enter_context(Supervisor()), folder), folder, stack)

        def at(level: str, *reach: str) -> dict[str, str]:
            confinement = msgspec.structs.replace(world.site.confinement(level), reach=reach)

            def run(argv: Sequence[str], stdin: str) -> str:
                ran = world.site.run(confinement, *argv, stdin=stdin)
                assert ran.result.succeeded, ran
                return ran.stdout

            return world.attempt(run)

        found = {"L3": at("L3"), "L2": at("L2")}
        found["L3 with a gate"] = at("L3", "api.example.com:443")
        found["L2 with a gate"] = at("L2", "api.example.com:443")
        assert (world.outside / "victim.txt").read_text() == "victim"
        assert (world.outside / "input.txt").read_text() == "input"
        found["L1"] = world.attempt(world.unconfined)
        yield found


@pytest.mark.req("P-18", "G-05", "G-06", "G-11")
@pytest.mark.parametrize("name", ALL)
def test_the_attempt_succeeds_where_nothing_is_confined(outcomes: Outcomes, name: str) -> None:
    assert outcomes["L1"][name] in {"ok", *MAY_BE_MISSING.get(name, ())}


@pytest.mark.req("P-18", "G-05", "G-06", "G-11")
@pytest.mark.parametrize("name", ALL)
def test_the_attempt_fails_at_l3(outcomes: Outcomes, name: str) -> None:
    assert outcomes["L3"][name] != "ok"
    assert outcomes["L3"][name].startswith("E"), "the driver itself failed"
    assert outcomes["L3"][name] not in {"EEXIST", "EADDRINUSE"}, "it was not tried"


def test_a_gate_opens_no_other_way(outcomes: Outcomes) -> None:
    for level in ("L2", "L3"):
        plain, gated = outcomes[level], outcomes[f"{level} with a gate"]
        assert [name for name, told in gated.items() if told == "ok" != plain[name]] == []
        assert [name for name, told in gated.items() if not told.startswith(("E", "ok"))] == []


@pytest.mark.req("G-08")
@pytest.mark.parametrize("name", ALL)
def test_the_attempt_fails_at_l2_unless_it_is_a_known_hole(outcomes: Outcomes, name: str) -> None:
    assert (outcomes["L2"][name] == "ok") == (name in HOLES_AT_L2), outcomes["L2"][name]


@pytest.mark.req("G-08")
def test_the_list_of_what_l2_leaves_open_is_what_is_open() -> None:
    assert set(HOLES_AT_L2.values()) == {opening.name for opening in LEFT_OPEN}
    assert set(HOLES_AT_L2) <= set(ALL)


def test_there_are_as_many_attempts_as_there_must_be() -> None:
    assert len(ALL) >= 110


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

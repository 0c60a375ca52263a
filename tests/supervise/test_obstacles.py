"""A machine that cannot confine says which kind it is, and what can be done about it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from custody.supervise.obstacles import NO_ATTRIBUTES, Host, obstacles, surroundings
from support import refusing

pytestmark = pytest.mark.req("G-19")

NEW_USER = 0x10000000
ORDINARY = Host(
    machine="x86_64",
    kernel="6.12.0",
    user_namespaces=1000,
    open_to_all=True,
    overlay=True,
    container=False,
    filtered=False,
    landlock=6,
    landlock_error=0,
)
NO_CLONE = {"L3": "clone: Operation not permitted"}
NO_OVERLAY = {"L3": "mount of overlay: No such device"}
NOTHING = {"L3": "Landlock ABI 2 is needed", "L2": "Landlock ABI 6 is needed"}


@pytest.mark.parametrize(
    ("reasons", "differences", "names"),
    [
        ({}, {"machine": "riscv64"}, []),
        (NOTHING, {"machine": "riscv64", "landlock": 0}, ["machine"]),
        (NO_CLONE, {"user_namespaces": 0}, ["user_namespaces_off"]),
        (NO_CLONE, {"user_namespaces": None}, ["user_namespaces_missing"]),
        (NO_CLONE, {"container": True, "filtered": True}, ["container"]),
        (NO_CLONE, {"filtered": True}, ["filter"]),
        (NO_CLONE, {}, []),
        (NO_OVERLAY, {"overlay": False}, ["overlay_missing"]),
        (NOTHING, {"landlock": 0, "landlock_error": errno.ENOSYS}, ["landlock_missing"]),
        (NOTHING, {"landlock": 0, "landlock_error": errno.EOPNOTSUPP}, ["landlock_off"]),
        (NOTHING, {"landlock": 0, "landlock_error": errno.EPERM}, ["landlock_forbidden"]),
        (NOTHING, {"landlock": 1}, ["landlock_old"]),
        ({"L3": NO_ATTRIBUTES}, {}, ["user_attributes_missing"]),
        (NO_CLONE, {"user_namespaces": 0, "landlock": 5}, ["user_namespaces_off", "landlock_old"]),
    ],
)
def test_each_obstacle_has_a_name_and_a_way_out(
    reasons: dict[str, str], differences: dict[str, Any], names: list[str]
) -> None:
    found = obstacles(reasons, msgspec.structs.replace(ORDINARY, **differences))
    assert [obstacle.name for obstacle in found] == names
    assert all(obstacle.what and obstacle.hint for obstacle in found)


@pytest.mark.req("G-28")
def test_an_older_landlock_is_said_to_be_enough_for_l2() -> None:
    (found,) = obstacles({"L3": "?"}, msgspec.structs.replace(ORDINARY, landlock=2))
    assert "L2 and L3 need ABI 2, which is Linux 5.19" in found.hint


@pytest.mark.parametrize(
    ("files", "field", "value"),
    [
        ({"proc/sys/user/max_user_namespaces": "0\n"}, "user_namespaces", 0),
        ({"proc/sys/user/max_user_namespaces": "9\n"}, "user_namespaces", 9),
        ({}, "user_namespaces", None),
        ({}, "open_to_all", True),
        ({"proc/sys/kernel/unprivileged_userns_clone": "0\n"}, "open_to_all", False),
        ({"proc/sys/kernel/unprivileged_userns_clone": "1\n"}, "open_to_all", True),
        ({"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}, "open_to_all", False),
        ({"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "0\n"}, "open_to_all", True),
        ({"proc/filesystems": "nodev\ttmpfs\nnodev\toverlay\n"}, "overlay", True),
        ({"proc/filesystems": "nodev\ttmpfs\n"}, "overlay", False),
        ({}, "container", False),
        ({".dockerenv": ""}, "container", True),
        ({"run/.containerenv": ""}, "container", True),
        ({"proc/1/environ": "PATH=/bin\0container=lxc\0"}, "container", True),
        ({"proc/self/status": "Name:\tx\nSeccomp:\t2\n"}, "filtered", True),
        ({"proc/self/status": "Name:\tx\nSeccomp:\t0\n"}, "filtered", False),
    ],
)
def test_what_a_machine_is_like_is_read_from_its_files(
    tmp_path: Path, files: dict[str, str], field: str, value: object
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert getattr(surroundings(f"{tmp_path}/"), field) == value


def custody(*prefix: str) -> list[str]:
    return [*prefix, sys.executable, "-m", "custody"]


def names_told(*prefix: str) -> list[str]:
    """Return what `custody doctor` names on a machine that is as ``prefix`` makes it."""
    told = subprocess.run(
        [*custody(*prefix), "doctor", "--json"],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)["confinement"]["obstacles"]
    return [obstacle["name"] for obstacle in found]


LANDLOCK = "landlock_create_ruleset"


@pytest.mark.parametrize(
    ("refusals", "names"),
    [
        ({LANDLOCK: (0, "ENOSYS")}, ["landlock_missing"]),
        ({LANDLOCK: (0, "EOPNOTSUPP")}, ["landlock_off"]),
        ({LANDLOCK: (0, "EPERM")}, ["landlock_forbidden"]),
    ],
)
def test_a_kernel_that_refuses_is_told_apart(
    refusals: dict[str, tuple[int, str]], names: list[str]
) -> None:
    assert names_told(*refusing.command(refusals)) == names


def test_a_container_that_forbids_namespaces_is_told() -> None:
    (name,) = names_told(*refusing.command({"clone": (NEW_USER, "EPERM")}))
    assert name in {"container", "filter"}


def test_a_machine_without_user_namespaces_is_told() -> None:
    limit = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    there = ("unshare", "--user", "--map-root-user", "sh", "-c", limit, "sh")
    assert names_told(*there) == ["user_namespaces_off"]


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="takes the machine for an i686")
def test_another_processor_is_told() -> None:
    assert names_told("setarch", "i686") == ["machine"]


def test_a_refused_run_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "p.dot").write_text(
        'digraph p { start [shape=Mdiamond] t [type=tool, tool_command="ls"]'
        " done [shape=Msquare] start -> t -> done }"
    )
    done = subprocess.run(
        [*custody(*refusing.command({LANDLOCK: (0, "EOPNOTSUPP")})), "run", "p.dot"],
        capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Landlock is in the kernel, and switched off" in done.stderr
    assert "boot parameter `lsm=`" in done.stderr
    assert "--confinement L1" in done.stderr
    assert not list(tmp_path.glob(".custody/runs/*/manifest.json"))

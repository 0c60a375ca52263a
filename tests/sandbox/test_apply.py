"""Either all of a confinement holds, or nothing is started and the reason is told."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

import msgspec
import pytest

from custody.model.limits import StageLimits
from custody.sandbox import apply, kernel, landlock
from custody.sandbox.confinement import Confinement
from support.overlay import in_child
from support.sandboxes import CONFINED, Site


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cache": "/no/such/cache"}, "confinement_failed: /no/such/cache is missing"),
        ({"workspace": "/no/such", "layers": None}, "confinement_failed: /no/such is missing"),
        ({"level": "L2", "network": "loopback", "layers": None},
         "confinement_failed: a network of loopback alone needs L3"),
        ({"level": "L2"}, "confinement_failed: layers need L3"),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_a_failure(
    site: Site, change: dict[str, object], reason: str
) -> None:
    confinement: Confinement = msgspec.structs.replace(site.confinement("L3"), **change)
    ran = site.run(confinement, "touch", "started")
    assert ran.result.failure_reason == reason
    assert not ran.result.succeeded
    assert not (site.workspace / "started").exists()


def test_a_workspace_made_anew_can_be_written_at_l2(site: Site) -> None:
    for _ in range(2):
        assert site.run(site.confinement("L2"), "sh", "-c", "echo new > new.txt").result.succeeded
        site.workspace.rename(site.home / f"old{len(list(site.home.iterdir()))}")
        site.workspace.mkdir()


@pytest.mark.req("G-09")
@pytest.mark.parametrize("level", CONFINED)
def test_limits_hold(site: Site, level: str) -> None:
    small = msgspec.structs.replace(
        site.confinement(level), limits=StageLimits(open_files=100, file_size=4096)
    )
    ran = site.run(small, "sh", "-c", "ulimit -Hn; ulimit -Hc; ulimit -n 200")
    assert ran.stdout.split() == ["101", "0"]
    assert not ran.result.succeeded
    ran = site.run(small, "sh", "-c", "head -c 10000 /dev/zero > big; wc -c < big")
    assert ran.result.failure_reason == "limit_exceeded: file_size (4K)"
    assert not ran.result.succeeded


if os.geteuid() == 0:

    def test_root_becomes_another_user_at_l2_where_that_is_wanted(site: Site) -> None:
        os.chown(site.workspace, 65534, 65534)
        other = msgspec.structs.replace(site.confinement("L2"), user=65534)
        line = "id -u; id -G; echo new > new.txt; chmod 600 kept.txt"
        ran = site.run(other, "sh", "-c", line)
        assert ran.stdout == "65534\n65534\n"
        assert "not permitted" in ran.stderr
        assert (site.workspace / "new.txt").stat().st_uid == 65534
        assert site.run(site.confinement("L2"), "id", "-u").stdout == "0\n"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(1, "Operation not permitted"), "Operation not permitted"),
        (OSError("half a sentence"), "half a sentence"),
        (ValueError("3 is too many"), "ValueError: 3 is too many"),
        (KeyError("clone"), "KeyError: 'clone'"),
    ],
)
def test_whatever_goes_wrong_is_told_in_a_few_words(error: Exception, reason: str) -> None:
    def go_wrong() -> None:
        with apply.telling():
            raise error

    with pytest.raises(apply.CannotConfine) as told:
        go_wrong()
    assert str(told.value) == reason


@pytest.mark.parametrize("found", [0, 1])
def test_a_kernel_that_is_too_old_is_told(
    site: Site, monkeypatch: pytest.MonkeyPatch, found: int
) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: found)
    with pytest.raises(apply.CannotConfine, match=f"the kernel has {found or 'none'}"):
        apply.prepare(site.confinement("L2"))
    with pytest.raises(apply.CannotConfine, match="Landlock ABI 2 is needed"):
        apply.clone_inside(site.confinement("L3"))


def test_a_machine_whose_calls_are_not_known_is_told(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "MACHINE", "vax")
    monkeypatch.setattr(kernel, "_HERE", {})
    with pytest.raises(apply.CannotConfine, match="the calls of vax are not known"):
        apply.prepare(site.confinement("L2"))


def test_a_home_is_made_where_it_is_missing(site: Site) -> None:
    confinement = site.confinement("L2")
    os.close(apply.prepare(confinement))
    assert Path(confinement.home).is_dir()
    assert Path(confinement.home).parent == site.cache


def test_groundwork_suits_what_has_its_base_and_shows_what_is_there(site: Site) -> None:
    tool = site.home / "tool"
    tool.mkdir()
    confinement = msgspec.structs.replace(site.confinement("L2"), readable=(str(tool),))
    groundwork = apply.lay_groundwork(confinement.base)
    assert groundwork.suits(confinement)
    assert groundwork.suits(msgspec.structs.replace(confinement, workspace="/elsewhere"))
    assert not groundwork.suits(site.confinement("L2"))
    tool.rename(site.home / "moved")
    tool.mkdir()
    assert not groundwork.suits(confinement)
    os.close(groundwork.ruleset)


@pytest.mark.parametrize(("alone", "processes"), [(True, (100, 502)), (False, (100, 1000))])
def test_limits_are_lowered_and_never_raised(alone: bool, processes: tuple[int, int]) -> None:
    least = 0 if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0 else 1

    def work() -> list[tuple[int, int]]:
        resource.setrlimit(resource.RLIMIT_NPROC, (100, 1000))
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 200))
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        apply.lower_limits(StageLimits(processes=500, open_files=400, file_size=1), alone=alone)
        assert resource.getrlimit(resource.RLIMIT_FSIZE) == before
        kinds = (resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)
        return [resource.getrlimit(kind) for kind in kinds]

    assert in_child(work) == [processes, (100, 200), (least, least)]


ATTEMPTS = """
import errno, os, socket, sys
victim = sys.argv[1]
for name, attempt in {
    'read': lambda: open(victim).read(),
    'truncate': lambda: os.truncate(victim, 0),
    'empty': lambda: os.open(victim, os.O_RDONLY | os.O_TRUNC),
    'empty a program': lambda: os.open(sys.argv[2], os.O_RDONLY | os.O_TRUNC),
    'create': lambda: open(victim + '.new', 'w'),
    'connect': lambda: socket.socket(socket.AF_INET),
    'unix': lambda: socket.socket(socket.AF_UNIX),
}.items():
    try: attempt()
    except OSError as error: assert error.errno in (errno.EPERM, errno.EACCES), (name, error)
    else: raise AssertionError(name)
for folder in 'ab':
    os.mkdir(folder)
open('a/f', 'w').write('x')
os.rename('a/f', 'b/f')
open('b/f', 'w').write('y')
"""


@pytest.mark.req("G-28")
@pytest.mark.parametrize("found", [2, 3, 4, 5])
def test_l2_is_had_with_an_older_landlock(
    site: Site, monkeypatch: pytest.MonkeyPatch, found: int
) -> None:
    if found > landlock.abi():
        pytest.skip(f"this kernel's Landlock is older still: ABI {landlock.abi()}")
    monkeypatch.setattr(landlock, "abi", lambda: found)
    tool = site.home / "tool"
    for file in (tool, site.home / "victim"):
        file.write_text("kept")
    confinement = msgspec.structs.replace(
        site.confinement("L2"), readable=(*site.confinement("L2").readable, str(tool))
    )
    argv = (sys.executable, "-c", ATTEMPTS, f"{site.home}/victim", str(tool))
    ran = site.run(confinement, *argv)
    assert ran.result.succeeded, ran.stderr
    assert tool.read_text() == (site.home / "victim").read_text() == "kept"


def test_single_servers_need_a_landlock_that_knows_of_ports(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 3)
    ran = site.run(site.reaching("L2", "127.0.0.1:9"), "true")
    assert "needs Landlock ABI 4 at L2" in ran.result.failure

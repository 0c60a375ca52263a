"""A stage works on layers: what it changes stands in the upper one alone."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from custody.sandbox import namespaces
from custody.sandbox.confinement import OverlayPaths
from custody.sandbox.overlay import OpenOverlay
from custody.supervise.supervisor import Supervisor
from support.overlay import in_child
from support.sandboxes import Site

_T = TypeVar("_T")


def test_changes_go_to_the_upper_layer_alone(site: Site) -> None:
    confinement = site.confinement("L3")
    ran = site.run(confinement, "sh", "-c", "echo new > new.txt; rm kept.txt; ls")
    assert ran.stdout == "new.txt\n"
    assert sorted(path.name for path in site.workspace.iterdir()) == ["holdout", "kept.txt"]
    assert confinement.layers is not None
    upper = Path(confinement.layers.upper)
    assert sorted(path.name for path in upper.iterdir()) == ["kept.txt", "new.txt"]
    assert (upper / "new.txt").stat().st_uid == os.geteuid()


def test_lines_of_a_stage_work_on_the_same_layers(site: Site) -> None:
    confinement = site.confinement("L3")
    for number in "123":
        ran = site.run(confinement, "sh", "-c", f"echo {number} >> kept.txt; cat kept.txt")
        assert ran.result.succeeded, ran
    assert ran.stdout == "kept1\n2\n3\n"
    assert (site.workspace / "kept.txt").read_text() == "kept"


@pytest.mark.req("P-18")
def test_a_hidden_path_that_is_made_again_shows_in_the_upper_layer(site: Site) -> None:
    confinement = site.confinement("L3")
    ran = site.run(confinement, "sh", "-c", "mkdir holdout && echo guess > holdout/answer.txt")
    assert ran.result.succeeded, ran
    assert confinement.layers is not None
    assert (Path(confinement.layers.upper) / "holdout" / "answer.txt").read_text() == "guess\n"
    assert (site.workspace / "holdout" / "answer.txt").read_text() == "42"


MARK = """
import os, sys
os.mkdir("made")
for name in sys.argv[1:]:
    try: os.setxattr("made", f"user.overlay.{name}", b"/etc")
    except OSError as error: print(error)
"""


@pytest.mark.req("P-18")
def test_no_program_sets_a_mark_of_the_kernels_own(site: Site) -> None:
    """It refuses them, or keeps them under another name from 6.7 on."""
    names = ("metacopy", "opaque", "redirect", "whiteout")
    confinement = site.confinement("L3")
    assert site.run(confinement, "python3", "-c", MARK, *names).result.succeeded
    assert confinement.layers is not None
    made = f"{confinement.layers.upper}/made"
    marked = {name: os.getxattr(made, name) for name in os.listxattr(made)}
    assert {f"user.overlay.{name}" for name in names} & {
        name for name, value in marked.items() if value == b"/etc"
    } == set()


def test_a_missing_layer_is_a_failure(site: Site) -> None:
    confinement = site.confinement("L3")
    assert confinement.layers is not None
    os.rmdir(confinement.layers.work)
    reason = site.run(confinement, "true").result.failure_reason
    expected = f"confinement_failed: layer {confinement.layers.work}: No such file or directory"
    assert reason == expected


def in_a_namespace(work: Callable[[], _T]) -> _T:
    """Do something where what is mounted is seen by nobody else."""

    def enter_first() -> _T:
        user, group = os.geteuid(), os.getegid()
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.unshare(0x10000000 | 0x00020000 | 0x04000000) == 0
        namespaces.take_identity(user, group)
        return work()

    return in_child(enter_first)


def test_layers_are_opened_before_they_are_out_of_sight(tmp_path: Path) -> None:
    for name in ("mask", "lower", "upper", "work", "seen", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "lower" / "file").write_text("below")
    lower = (f"{tmp_path}/mask", f"{tmp_path}/lower")
    paths = OverlayPaths(lower=lower, upper=f"{tmp_path}/upper", work=f"{tmp_path}/work")

    def work() -> tuple[str, str]:
        before = set(os.listdir("/proc/self/fd"))
        overlay = OpenOverlay(paths)
        for name in ("mask", "lower", "upper", "work"):
            (tmp_path / name).rename(tmp_path / "elsewhere" / name)
        overlay.mount(f"{tmp_path}/seen")
        assert set(os.listdir("/proc/self/fd")) == before, "a descriptor stays open"
        (tmp_path / "seen" / "new").write_text("above")
        mounts = Path("/proc/self/mounts").read_text()
        (line,) = (one for one in mounts.splitlines() if one.startswith("workspace "))
        return (tmp_path / "seen" / "file").read_text(), line

    content, line = in_a_namespace(work)
    assert content == "below"
    assert str(tmp_path / "elsewhere") not in line, "it tells where the layers are"
    assert "volatile" in line
    assert (tmp_path / "elsewhere" / "upper" / "new").read_text() == "above"


@pytest.mark.req("G-29")
def test_what_the_kernel_keeps_is_open_to_its_owner(tmp_path: Path) -> None:
    """Who finds the folder of a killed run removes it with ``rm -rf``."""
    for name in ("lower", "upper", "work", "seen"):
        (tmp_path / name).mkdir()
    paths = OverlayPaths(
        lower=(f"{tmp_path}/lower",), upper=f"{tmp_path}/upper", work=f"{tmp_path}/work"
    )
    in_a_namespace(lambda: OpenOverlay(paths).mount(f"{tmp_path}/seen"))
    kept = [path for path in (tmp_path / "work").rglob("*") if path.is_dir()]
    assert kept
    assert [path.name for path in kept if path.stat().st_mode & 0o700 != 0o700] == []


def test_layers_can_be_mounted_again(tmp_path: Path) -> None:
    """What the kernel notes of a mount that was never synced does not stand in the way."""
    for name in ("lower", "upper", "work", "seen"):
        (tmp_path / name).mkdir()
    paths = OverlayPaths(
        lower=(f"{tmp_path}/lower",), upper=f"{tmp_path}/upper", work=f"{tmp_path}/work"
    )
    for number in range(3):

        def work(number: int = number) -> list[str]:
            OpenOverlay(paths).mount(f"{tmp_path}/seen")
            (tmp_path / "seen" / str(number)).touch()
            return sorted(os.listdir(tmp_path / "seen"))

        assert in_a_namespace(work) == [str(one) for one in range(number + 1)]


@pytest.mark.req("G-18")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder somebody else's")
def test_a_runs_directory_of_somebody_else_is_told(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    with Supervisor() as supervisor:
        site = Site(supervisor, closed)
        confinement = site.confinement("L3")
        os.chown(closed, 65534, 65534)
        assert site.run(confinement, "true").result.succeeded, "it can be entered by everybody"
        closed.chmod(0o700)
        why = site.run(confinement, "true").result.failure
    assert f"{closed} belongs to somebody else and is closed to others" in why

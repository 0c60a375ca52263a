"""Accepted changes reach the workspace whole, wherever the process ends on the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import pytest

from custody.workspace.contents import IN_MEMORY
from support.crash import CALLS, Point, traced
from support.overlay import inside
from support.promotion import EDITED, HIDDEN, prepare, recorded, reopened
from support.sweep import Sweep, chunks
from support.trees import picture
from support.workspaces import Site

CHUNKS = chunks(4)
EVERY = 6
VOLATILE = "userxattr,volatile"
strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


def settling(home: Path, how: str, *prefix: str) -> subprocess.CompletedProcess[str]:
    """Begin a stage, or bring one to its end, in a process of its own."""
    script = Path(__file__).parents[2] / "support" / "promotion.py"
    return subprocess.run(
        [*prefix, sys.executable, str(script), str(home), how],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def points(home: Path, how: str) -> list[Point]:
    """Let it go well once; return every system call of it that changes the disk."""
    log = home / "log"
    watch = ("strace", "-q", "-y", "-o", str(log), "-e", f"trace={','.join(CALLS)}")
    done = settling(home, how, *watch)
    assert done.returncode == 0, done.stderr
    return traced(log.read_text())


def killed_at(home: Path, how: str, point: Point) -> bool:
    """Kill it at one system call; tell whether changes were recorded by then."""
    done = settling(
        home, how, "strace", "-q", "-o", "/dev/null", "-e", f"trace={point.call}",
        "-e", f"inject={point.call}:signal=KILL:when={point.number}",
    )  # fmt: skip
    assert done.returncode in (-9, 137), done.stderr
    return (home / "captured").exists()


def one_of_each_call(sweep: Sweep, found: list[Point], *must: str, chunk: int = 0) -> list[Point]:
    """Return the points to try."""
    return sweep.points(
        found,
        every=EVERY,
        kind=attrgetter("call"),
        must=must,
        most=6,
        chunk=chunk,
        chunks=len(CHUNKS),
    )


@strace
@pytest.mark.req("P-11")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("chunk", CHUNKS)
def test_a_promotion_survives_its_end_anywhere(tmp_path: Path, chunk: int, sweep: Sweep) -> None:
    home = tmp_path / "whole"
    before = prepare(home)
    found = points(home, "accepted")
    assert picture(home / "runs" / "r1" / "workspace") == EDITED
    assert not (home / "runs" / "r1" / "layers").exists()

    def attempt(point: Point) -> None:
        place = tmp_path / str(point)
        prepare(place)
        if killed_at(place, "accepted", point):
            with reopened(place) as workspace:
                workspace.accept(recorded(place).changes)
                workspace.sort_out_layers({"n/1.1": None})
                workspace.restore()
                assert picture(Path(workspace.path)) == EDITED
                assert not (place / "runs" / "r1" / "layers").exists()
        with reopened(place) as workspace:
            workspace.sort_out_layers({})
            workspace.restore()
            assert picture(Path(workspace.path)) == before
        shutil.rmtree(place)

    sweep.over(one_of_each_call(sweep, found, "renameat", chunk=chunk), attempt)


@strace
@pytest.mark.req("P-11")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("chunk", CHUNKS)
def test_evidence_of_a_refused_stage_survives_its_end_anywhere(
    tmp_path: Path, chunk: int, sweep: Sweep
) -> None:
    before = prepare(tmp_path / "whole")
    left = tmp_path / "whole" / "runs" / "r1" / "layers" / "n" / "1.1"
    evidence = picture(left / "upper")
    found = points(tmp_path / "whole", "refused")
    assert os.listdir(left) == ["upper"]

    def attempt(point: Point) -> None:
        place = tmp_path / str(point)
        prepare(place)
        captured = killed_at(place, "refused", point)
        layers = {"n/1.1": recorded(place).layer or None} if captured else {}
        with reopened(place) as workspace:
            workspace.sort_out_layers(layers)
            workspace.restore()
            assert picture(Path(workspace.path)) == before
        (kept,) = (place / "runs" / "r1" / "layers" / "n").iterdir()
        assert kept.name == ("1.1" if captured else "1.1.lost.1")
        assert os.listdir(kept) == ["upper"]
        assert picture(kept / "upper") == evidence
        shutil.rmtree(place)

    sweep.over(one_of_each_call(sweep, found, "renameat", "unlinkat", chunk=chunk), attempt)


@strace
@pytest.mark.req("P-11", "P-18")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("chunk", CHUNKS)
def test_a_beginning_leaves_nothing_hidden_wherever_it_ends(
    tmp_path: Path, chunk: int, sweep: Sweep
) -> None:
    before = prepare(tmp_path / "whole")
    found = points(tmp_path / "whole", "begun")

    def attempt(point: Point) -> None:
        place = tmp_path / str(point)
        prepare(place)
        killed_at(place, "begun", point)
        with reopened(place) as workspace:
            workspace.sort_out_layers({})
            assert workspace.restore() == []
            assert picture(Path(workspace.path)) == before
            workspace.begin_stage("n/1.1", HIDDEN)
        names = sorted((place / "runs" / "r1" / "layers" / "n").iterdir())
        assert names[0].name == "1.1"
        assert {".".join(name.name.split(".")[2:3]) for name in names[1:]} == {"lost"}
        assert all(os.listdir(name) in (["upper"], []) for name in names[1:])
        shutil.rmtree(place)

    sweep.over(one_of_each_call(sweep, found, "mkdirat", chunk=chunk), attempt)


def test_a_promotion_can_be_done_again(site: Site) -> None:
    (site.source / "a").write_text("1")
    (site.source / "d" / "e").mkdir(parents=True)
    (site.source / "d" / "e" / "f").write_text("2")
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")
    inside(layers, _edit)
    changes = workspace.capture(layers)
    workspace.accept(changes)
    stack = workspace._stack
    captured = stack._captured
    workspace.settle(layers, accepted=True)
    expected = picture(Path(workspace.path))
    workspace.begin_stage("n/1.1")
    stack._captured = captured
    workspace.settle(layers, accepted=True)
    assert picture(Path(workspace.path)) == expected
    assert workspace.capture() == ()


def _edit(top: str) -> None:
    Path(top, "a").unlink()
    Path(top, "a").mkdir()
    Path(top, "a", "b").write_text("new")
    shutil.rmtree(f"{top}/d")
    Path(top, "d").write_text("a file now")
    Path(top, "link").symlink_to("a/b")


def test_files_are_moved_and_late_writes_are_not(site: Site) -> None:
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")
    upper = Path(layers.upper)
    for name in ("same", "late", "one", "of its owner"):
        (upper / name).write_text(name)
    (upper / "of its owner").chmod(0o4755)
    (upper / "two").hardlink_to(upper / "one")
    (upper / "large").write_bytes(b"x" * (IN_MEMORY + 1))
    (upper / "late large").write_bytes(b"x" * (IN_MEMORY + 1))
    inodes = {path.name: path.stat().st_ino for path in upper.iterdir()}
    changes = workspace.capture(layers)
    (upper / "late").write_text("changed after it was captured")
    os.truncate(upper / "late large", 3)
    workspace.accept(changes)
    workspace.settle(layers, accepted=True)
    top = Path(workspace.path)
    moved = {name for name, inode in inodes.items() if (top / name).stat().st_ino == inode}
    assert moved == {"same", "large"}
    assert (top / "late").read_text() == "late"
    assert (top / "of its owner").stat().st_mode & 0o7777 == 0o755
    assert (top / "late large").stat().st_size == IN_MEMORY + 1
    assert workspace.capture() == ()


def test_what_no_diff_tells_does_not_reach_the_workspace(site: Site) -> None:
    (site.source / "old").write_text("1")
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")

    def work(top: str) -> None:
        Path(top, "old").write_text("2")
        Path(top, "new").write_text("3")
        for name in ("old", "new"):
            os.setxattr(f"{top}/{name}", "user.note", b"for the next stage")

    inside(layers, work)
    assert os.listxattr(f"{layers.upper}/new") == ["user.note"]
    workspace.accept(workspace.capture(layers))
    workspace.settle(layers, accepted=True)
    assert {name: os.listxattr(f"{workspace.path}/{name}") for name in ("old", "new")} == {
        "old": [],
        "new": [],
    }

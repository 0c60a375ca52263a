"""What no diff tells of does not reach the next stage."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.workspace.workspace import Workspace
from support.overlay import become_nobody, in_child
from support.workspaces import Site, kinds

MARK = "user.mark"
OLD = 1_000_000_000_000_000_000


def begun(site: Site) -> Workspace:
    (site.source / "folder").mkdir()
    for name in ("same", "changed", "closed"):
        (site.source / "folder" / name).write_text("old")
        os.utime(site.source / "folder" / name, ns=(OLD, OLD))
    (site.source / "folder" / "closed").chmod(0o400)
    return site.workspace()


def leave(top: Path) -> None:
    """Leave marks and times on everything, and change one file."""
    (top / "folder" / "changed").write_text("new")
    (top / "new").write_text("new")
    closed = top / "folder" / "closed"
    closed.chmod(0o600)
    for path in (*top.rglob("*"), top / "new"):
        os.setxattr(path, MARK, b"left")
        os.utime(path)
    closed.chmod(0o400)


def marked(top: Path) -> list[str]:
    return [str(path) for path in top.rglob("*") if MARK in os.listxattr(path)]


@pytest.mark.req("G-02")
@pytest.mark.parametrize("keep", [True, False])
def test_attributes_and_times_are_put_back(site: Site, *, keep: bool) -> None:
    workspace = begun(site)
    top = Path(workspace.path)
    leave(top)
    changes = workspace.capture()
    assert kinds(changes) == {"folder/changed": "modified", "new": "added"}
    if keep:
        workspace.accept(changes)
    else:
        workspace.restore()
    assert marked(top) == []
    for name in ("same", "closed"):
        assert (top / "folder" / name).stat().st_mtime_ns == OLD
    assert workspace.capture() == ()


def times(top: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in (top, *top.rglob("*"))}


@pytest.mark.req("G-02")
def test_times_that_were_put_back_stay(site: Site) -> None:
    workspace = begun(site)
    top = Path(workspace.path)
    assert workspace.capture() == ()
    before = times(top)
    for path in before:
        os.utime(path)
    for _ in range(3):
        assert workspace.capture() == ()
        assert times(top) == before


@pytest.mark.req("G-02")
def test_times_of_folders_are_put_back_in_which_nothing_has_changed(site: Site) -> None:
    for name in ("same/deeper", "changed/deeper", "filled", "emptied"):
        (site.source / name).mkdir(parents=True)
    for name in ("same/deeper/file", "changed/deeper/file", "emptied/file"):
        (site.source / name).write_text("old")
    workspace = site.workspace()
    top = Path(workspace.path)
    (top / "changed/deeper/file").write_text("new")
    (top / "filled/file").write_text("new")
    (top / "emptied/file").unlink()
    (top / "same/passing").write_text("new")
    (top / "same/passing").unlink()
    for path in times(top):
        os.utime(path, ns=(OLD, OLD))
    workspace.accept(workspace.capture())
    kept = {path.removeprefix(f"{top}/") for path, time in times(top).items() if time == OLD}
    changed = {"changed/deeper", "changed/deeper/file", "filled", "filled/file", "emptied"}
    assert kept == changed


@pytest.mark.req("G-02")
def test_nothing_is_left_of_a_stage_that_is_thrown_away(site: Site) -> None:
    workspace = begun(site)
    top = Path(workspace.path)
    (top / "folder" / "same").chmod(0o600)
    workspace.accept(workspace.capture())
    leave(top)
    mode = top.stat().st_mode
    top.chmod(0o2733)
    workspace.throw_away(None)
    assert top.stat().st_mode == mode
    assert marked(top) == []
    for name in ("same", "changed", "closed"):
        assert (top / "folder" / name).stat().st_mtime_ns == OLD
    assert workspace.capture() == ()


@pytest.mark.req("G-02")
def test_a_killed_stage_leaves_no_attributes(site: Site) -> None:
    workspace = begun(site)
    leave(Path(workspace.path))
    again = site.reopened(workspace)
    again.restore(unrecorded=True)
    assert marked(Path(again.path)) == []


@pytest.mark.req("G-02")
def test_an_ordinary_user_can_put_them_back(public: Path) -> None:
    def rehearse() -> None:
        become_nobody()
        (public / "home").mkdir()
        site = Site(public / "home")
        workspace = begun(site)
        leave(Path(workspace.path))
        workspace.accept(workspace.capture())
        assert marked(Path(workspace.path)) == []
        site.close()

    in_child(rehearse)

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

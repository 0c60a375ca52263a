"""One look at an upper directory: what stands there, and what cannot be kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from custody.store.root import Root
from custody.workspace.contents import Contents
from custody.workspace.overlay.layer import Upper
from custody.workspace.overlay.upper import UpperLook
from support.overlay import become_nobody, in_child, inside, mount, new_mount_namespace
from support.workspaces import Site, kinds


@pytest.mark.parametrize(("mark", "kind"), [("redirect", "dir"), ("metacopy", "file")])
def test_names_without_contents_are_refused(site: Site, mark: str, kind: str) -> None:
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")
    path = Path(layers.upper, "odd")
    path.mkdir() if kind == "dir" else path.touch()
    os.setxattr(path, f"user.overlay.{mark}", b"y")
    (change,) = workspace.capture(layers)
    assert change.after is not None
    assert (change.after.kind, change.after.reason) == ("other", mark)


def test_a_whiteout_by_attribute_counts_where_the_kernel_lets_it(site: Site) -> None:
    (site.source / "a").write_text("1")
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")
    upper = Path(layers.upper)
    (upper / "a").touch()
    os.setxattr(upper / "a", "user.overlay.whiteout", b"y")
    assert kinds(workspace.capture(layers)) == {"a": "modified"}
    os.setxattr(upper, "user.overlay.opaque", b"x")
    assert kinds(workspace.capture(layers)) == {"a": "deleted"}


def test_what_is_closed_to_the_runtime_is_told_so(public: Path) -> None:
    def work(top: str) -> None:
        Path(top, "file").chmod(0)
        Path(top, "dir").chmod(0)

    def rehearse() -> None:
        become_nobody()
        (public / "home").mkdir()
        site = Site(public / "home")
        (site.source / "dir").mkdir()
        (site.source / "dir" / "x").write_text("x")
        (site.source / "file").write_text("file")
        workspace = site.workspace()
        layers = workspace.begin_stage("n/1.1")
        inside(layers, work)
        changes = workspace.capture(layers)
        assert kinds(changes) == {"dir": "modified", "dir/x": "deleted", "file": "modified"}
        assert {c.after.reason for c in changes if c.after} == {"unreadable"}
        site.close()

    in_child(rehearse)


def test_without_contents_nothing_is_kept(site: Site) -> None:
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")
    Path(layers.upper, "new").write_text("not kept")
    with Root.open(layers.upper) as upper:
        (change,) = Upper.look(upper, Contents(None)).changes(workspace.expected)
    assert change.after is not None
    assert not workspace._run.blobs.has(change.after.sha256)


def look(site: Site, lay_out: Callable[[Path], None]) -> UpperLook:
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")
    lay_out(Path(layers.upper))
    with Root.open(layers.upper) as root:
        return UpperLook(root, Contents(None)).take()


def test_every_kind_is_told(site: Site) -> None:
    def lay_out(upper: Path) -> None:
        (upper / "folder" / "deep").mkdir(parents=True)
        (upper / "folder" / "deep" / "file").write_text("content")
        (upper / "folder" / "deep" / "file").chmod(0o640)
        (upper / "link").symlink_to("folder")
        os.mkfifo(upper / "pipe")
        (upper / "one").write_text("shared")
        (upper / "two").hardlink_to(upper / "one")
        (upper / "three").write_text("shared with somebody")
        (site.source.parent / "outside").hardlink_to(upper / "three")
        (upper / os.fsdecode(b"odd\xff")).touch()

    found = look(site, lay_out)
    assert {path: (entry.kind, entry.reason) for path, entry in found.entries.items()} == {
        "folder": ("dir", ""),
        "folder/deep": ("dir", ""),
        "folder/deep/file": ("file", ""),
        "link": ("symlink", ""),
        "pipe": ("other", "not_regular"),
        "one": ("file", ""),
        "two": ("file", ""),
        "three": ("other", "hardlink"),
        os.fsdecode(b"odd\xff"): ("other", "surrogate"),
    }
    file = found.entries["folder/deep/file"]
    assert (file.mode, file.bytes, len(file.sha256)) == (0o640, 7, 64)
    assert found.states["folder/deep/file"].st_size == 7
    assert found.entries["link"].target == "folder"


def test_more_folders_than_are_held_open(site: Site) -> None:
    def lay_out(upper: Path) -> None:
        for number in range(200):
            (upper / str(number) / "below").mkdir(parents=True)

    before = len(os.listdir("/proc/self/fd"))
    found = look(site, lay_out)
    assert len(found.entries) == 400
    site.close()
    assert len(os.listdir("/proc/self/fd")) <= before


def test_another_file_system_is_not_gone_into(tmp_path: Path) -> None:
    def look() -> tuple[str, str]:
        new_mount_namespace()
        workspace = Site(tmp_path).workspace()
        layers = workspace.begin_stage("n/1.1")
        Path(layers.upper, "mounted").mkdir()
        mount("tmpfs", f"{layers.upper}/mounted")
        Path(layers.upper, "mounted", "x").write_text("x")
        (change,) = workspace.capture(layers)
        assert change.after is not None
        return change.after.kind, change.after.reason

    assert in_child(look) == ("other", "xdev")


def test_a_path_that_is_too_long_is_told(site: Site) -> None:
    workspace = site.workspace()
    layers = workspace.begin_stage("n/1.1")
    here = os.open(layers.upper, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=here)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    changes = workspace.capture(layers)
    assert {change.after.reason for change in changes if change.after} == {"", "too_long"}

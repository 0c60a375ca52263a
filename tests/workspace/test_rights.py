"""Nobody gets a right by way of a workspace that he did not have."""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path

import msgspec
import pytest

from custody.model.change import Entry
from custody.store.root import Root
from custody.workspace.rights import (
    ACCESS_LIST,
    CAPABILITY,
    agree,
    changed_mode,
    drop_all,
    has_capability,
    kept_mode,
    lowered,
    pass_on,
)
from custody.workspace.workspace import differences, read_tree
from support.access_lists import access_list
from support.overlay import in_child, inside
from support.workspaces import Site, kinds

NET_RAW = struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0)
"""A capability as the kernel keeps it: version 2, effective, permitted CAP_NET_RAW."""

root_only = pytest.mark.skipif(os.getuid() != 0, reason="only root can grant capabilities")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def grant(path: Path) -> None:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    os.setxattr(path, CAPABILITY, NET_RAW)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (stat.S_IFREG | 0o4755, 0o755),
        (stat.S_IFREG | 0o2711, 0o711),
        (stat.S_IFREG | 0o7000, 0),
        (stat.S_IFREG | 0o1644, 0o644),
        (stat.S_IFDIR | 0o2775, 0o775),
        (stat.S_IFDIR | 0o1777, 0o1777),
        (stat.S_IFDIR | 0o7777, 0o1777),
    ],
)
def test_what_is_taken_over_of_a_mode(before: int, after: int) -> None:
    assert kept_mode(before) == after
    kind = "dir" if stat.S_ISDIR(before) else "file"
    entry = Entry(path="a", kind=kind, mode=stat.S_IMODE(before))  # type: ignore[arg-type]
    assert lowered(entry).mode == after
    assert agree(entry, lowered(entry))
    assert agree(entry, entry)
    assert not agree(lowered(entry), entry) or entry == lowered(entry)


def test_other_things_are_told_as_they_are() -> None:
    pipe = Entry(path="a", kind="other", mode=0o4755, reason="not_regular")
    assert lowered(pipe) == pipe
    assert not agree(None, pipe)
    assert agree(None, None)


@pytest.mark.req("G-03")
@pytest.mark.parametrize(
    ("before", "executable", "after"),
    [
        (0o600, False, 0o600),
        (0o600, True, 0o700),
        (0o644, True, 0o755),
        (0o755, False, 0o644),
        (0o4711, True, 0o700),
        (0o664, False, 0o664),
    ],
)
def test_a_file_that_is_written_anew_is_read_by_nobody_else(
    before: int, *, executable: bool, after: int
) -> None:
    assert changed_mode(stat.S_IFREG | before, executable=executable) == after


@root_only
@pytest.mark.req("G-03")
def test_capabilities_are_seen_and_dropped(tmp_path: Path) -> None:
    grant(tmp_path / "able")
    (tmp_path / "plain").touch(0o755)
    entry = Entry(path="able", kind="file", mode=0o755)
    with Root.open(str(tmp_path)) as root:
        assert has_capability(root.fd, "able", 0o755)
        assert not has_capability(root.fd, "plain", 0o755)
        gone = msgspec.structs.replace(entry, path="gone")
        assert drop_all(root, [gone, entry]) == ("able",)
        assert drop_all(root, [entry]) == ()
    assert os.listxattr(tmp_path / "able") == []


@pytest.mark.req("G-03")
def test_a_copy_of_the_source_has_no_rights_of_its_owner(site: Site) -> None:
    for name in ("suid", "sgid"):
        (site.source / name).write_text("#!/bin/sh\n")
    (site.source / "suid").chmod(0o4755)
    (site.source / "sgid").chmod(0o2755)
    (site.source / "group").mkdir()
    (site.source / "group").chmod(0o2775)
    expected = ["group", "sgid", "suid"]
    if os.getuid() == 0:
        grant(site.source / "able")
        expected.insert(0, "able")
    for run_id in ("r1", "r2"):
        workspace = site.workspace(run_id)
        top = Path(workspace.path)
        assert [mode(top / name) for name in ("suid", "sgid", "group")] == [0o755, 0o755, 0o775]
        assert not [path for path in top.iterdir() if CAPABILITY in os.listxattr(path)]
        assert workspace.base.dropped == tuple(expected)
        assert workspace.capture() == ()
        workspace.remember_source()


def test_a_source_without_such_rights_says_nothing_of_them(site: Site) -> None:
    (site.source / "plain").touch()
    assert site.workspace().base.dropped is msgspec.UNSET


@pytest.mark.req("G-03")
def test_rights_that_a_program_gave_are_gone_before_they_count(site: Site) -> None:
    """As at L1, where nothing keeps a program from giving them."""
    (site.source / "tool").write_text("#!/bin/sh\n")
    (site.source / "tool").chmod(0o755)
    workspace = site.workspace()
    top = Path(workspace.path)
    (top / "tool").chmod(0o4755)
    (top / "twin").write_text("two names")
    os.link(top / "twin", top / "twin2")
    (top / "twin").chmod(0o2755)
    (top / "group").mkdir()
    (top / "group").chmod(0o2777)
    if os.getuid() == 0:
        grant(top / "able")
    changes = workspace.capture()
    assert "tool" not in kinds(changes)
    assert {"tool", "twin", "twin2", "group"} <= {*workspace.dropped}
    assert ("able" in workspace.dropped) is (os.getuid() == 0)
    assert {mode(top / name) & 0o7000 for name in ("tool", "twin", "twin2", "group")} == {0}
    assert not [path for path in top.iterdir() if CAPABILITY in os.listxattr(path)]
    workspace.accept(changes)
    assert workspace.capture() == ()
    assert workspace.dropped == ()


@pytest.mark.req("G-03")
def test_rights_in_a_layer_are_not_promoted(site: Site) -> None:
    (site.source / "folder").mkdir()
    (site.source / "tool").touch(0o755)
    workspace = site.workspace()

    def work(top: str) -> None:
        (Path(top) / "new").write_text("#!/bin/sh\n")
        (Path(top) / "new").chmod(0o6755)
        (Path(top) / "folder").chmod(0o2755)
        (Path(top) / "tool").chmod(0o4755)
        if os.getuid() == 0:
            grant(Path(top) / "able")

    layers = workspace.begin_stage("n/1.1")
    inside(layers, work)
    changes = workspace.capture(layers)
    assert "tool" not in kinds(changes)
    expected = ["folder", "new", "tool"]
    assert [name for name in workspace.dropped if name != "able"] == expected
    workspace.accept(changes)
    workspace.settle(layers, accepted=True)
    top = Path(workspace.path)
    assert [mode(top / name) for name in ("new", "folder", "tool")] == [0o755, 0o755, 0o755]
    assert not [path for path in top.iterdir() if CAPABILITY in os.listxattr(path)]
    assert workspace.capture() == ()


@pytest.mark.req("G-03")
def test_an_older_record_is_read_and_gives_nobody_its_rights(site: Site) -> None:
    (site.source / "tool").write_text("#!/bin/sh\n")
    (site.source / "tool").chmod(0o755)
    (site.source / "group").mkdir()
    workspace = site.workspace()
    for name, special in (("tool", 0o4755), ("group", 0o2755)):
        entry = workspace.expected[name]
        workspace.expected[name] = msgspec.structs.replace(entry, mode=special)
    assert workspace.capture() == ()
    assert differences(workspace._run, workspace.expected) == []
    top = Path(workspace.path)
    (top / "tool").unlink()
    (top / "group").rmdir()
    assert workspace.restore() == ["group", "tool"]
    assert [mode(top / name) for name in ("tool", "group")] == [0o755, 0o755]
    (top / "tool").chmod(0o4755)
    assert differences(workspace._run, workspace.expected) == []
    assert read_tree(workspace._run, workspace.base)["tool"].mode == 0o755


def handed_on(old: Path, new: Path, mode: int, user: int | None = None) -> bool:
    """Return what `pass_on` says to a user, who has made the new file."""

    def work() -> bool:
        one, two = os.open(old, os.O_RDONLY), os.open(new, os.O_RDONLY)
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        return pass_on(one, two, mode)

    return in_child(work)


def two_files(folder: Path) -> tuple[Path, Path]:
    old, new = folder / "old", folder / "new"
    for path in (old, new):
        path.write_text("x")
        path.chmod(0o600)
    return old, new


@pytest.mark.req("G-03")
def test_an_access_list_goes_with_the_mode_that_it_explains(tmp_path: Path) -> None:
    old, new = two_files(tmp_path)
    access_list(old, owner=6, named=7, group=0, mask=7, others=0)
    assert mode(old) == 0o670, "the group has no rights all the same"
    assert handed_on(old, new, 0o670)
    assert mode(new) == 0o670
    assert os.getxattr(new, ACCESS_LIST) == os.getxattr(old, ACCESS_LIST)
    assert handed_on(old, new, 0o600)
    assert mode(new) == 0o600


@root_only
@pytest.mark.req("G-03")
def test_what_takes_the_place_of_a_file_belongs_to_whom_it_did(tmp_path: Path) -> None:
    old, new = two_files(tmp_path)
    os.chown(old, 1234, 4321)
    assert handed_on(old, new, 0o660)
    assert (new.stat().st_uid, new.stat().st_gid, mode(new)) == (1234, 4321, 0o660)


@root_only
@pytest.mark.req("G-03")
@pytest.mark.parametrize(
    ("wanted", "given", "told"),
    [(0o660, 0o600, False), (0o644, 0o644, True), (0o664, 0o604, False)],
)
def test_rights_of_one_group_are_never_those_of_another(
    tmp_path: Path, wanted: int, given: int, told: bool
) -> None:
    """Whoever is in no such group cannot give a file to it."""
    old, new = two_files(tmp_path)
    os.chown(old, 65534, 4321)
    os.chown(new, 65534, 65534)
    assert handed_on(old, new, wanted, user=65534) is told
    assert (new.stat().st_gid, mode(new)) == (65534, given)

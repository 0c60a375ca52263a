"""What a stage can do to a workspace, and whether it is found."""

from __future__ import annotations

import mmap
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from custody.model.change import Entry
from custody.store.rundir import RunDirectory
from custody.workspace.contents import IN_MEMORY
from custody.workspace.scan import seen_as
from custody.workspace.workspace import Workspace
from support.trees import as_nobody, remove
from support.workspaces import Site, kinds


@pytest.fixture
def workspace(site: Site) -> Workspace:
    (site.source / "src").mkdir()
    (site.source / "src" / "a.py").write_text("aaaa")
    (site.source / "src" / "b.py").write_text("bbbb")
    (site.source / "link").symlink_to("src/a.py")
    return site.workspace()


@pytest.fixture
def top(workspace: Workspace) -> Path:
    return Path(workspace.path)


@pytest.mark.req("P-06")
def test_every_kind_of_change_is_found(workspace: Workspace, top: Path) -> None:
    (top / "src" / "a.py").write_text("changed")
    (top / "src" / "b.py").chmod(0o755)
    (top / "link").unlink()
    (top / "new" / "deep").mkdir(parents=True)
    (top / "new" / "deep" / "file").write_text("x")
    changes = workspace.capture()
    assert kinds(changes) == {
        "link": "deleted",
        "new": "added",
        "new/deep": "added",
        "new/deep/file": "added",
        "src/a.py": "modified",
        "src/b.py": "mode",
    }
    assert [change.path for change in changes] == sorted(change.path for change in changes)
    modified = next(change for change in changes if change.path == "src/a.py")
    assert modified.before is not None
    assert modified.after is not None
    assert (modified.before.bytes, modified.after.bytes) == (4, 7)
    assert modified.before.sha256 != modified.after.sha256


def rewrite(file: Path) -> None:
    file.write_text("AAAA")


def rewrite_and_restore_times(file: Path) -> None:
    state = file.stat()
    file.write_text("AAAA")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def replace_and_restore_times(file: Path) -> None:
    state = file.stat()
    other = file.with_name("other")
    other.write_text("AAAA")
    os.utime(other, ns=(state.st_atime_ns, state.st_mtime_ns))
    other.rename(file)


def write_through_memory(file: Path) -> None:
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), 4) as memory:
        memory[:] = b"AAAA"


def write_through_a_second_name(file: Path) -> None:
    second = file.with_name("second")
    second.hardlink_to(file)
    second.write_text("AAAA")
    second.unlink()


@pytest.mark.req("P-05", "P-06")
@pytest.mark.parametrize(
    "edit",
    [
        rewrite,
        rewrite_and_restore_times,
        replace_and_restore_times,
        write_through_memory,
        write_through_a_second_name,
    ],
)
@pytest.mark.parametrize("looked", [False, True])
def test_a_hidden_edit_is_found(
    workspace: Workspace, top: Path, edit: Callable[[Path], None], looked: bool
) -> None:
    if looked:
        workspace.capture()
    edit(top / "src" / "a.py")
    assert kinds(workspace.capture()) == {"src/a.py": "modified"}


@pytest.mark.req("P-06")
def test_edits_right_after_a_look_are_found(workspace: Workspace, top: Path) -> None:
    for number in range(100):
        (top / "src" / "a.py").write_text(f"{number:04}")
        (change,) = workspace.capture()
        assert change.change == "modified"
        workspace.accept((change,))
        assert workspace.capture() == ()


@pytest.mark.parametrize(
    ("changed", "looked", "is_settled"),
    [
        (5_100_000_000, 5_120_000_001, True),
        (5_100_000_000, 5_120_000_000, False),
        (5_100_000_000, 5_000_000_000, False),
        (5_000_000_000, 7_000_000_000, False),
        (5_000_000_000, 7_000_000_001, True),
    ],
)
def test_a_change_near_a_look_is_not_believed(changed: int, looked: int, is_settled: bool) -> None:
    entry = Entry(path="a", kind="file", mode=0o644)
    state = SimpleNamespace(
        st_ctime_ns=changed, st_mtime_ns=0, st_size=0, st_ino=1, st_mode=0o100644
    )
    assert (seen_as(entry, cast("os.stat_result", state), looked).changed == changed) == is_settled


@pytest.mark.req("P-05", "P-06")
def test_what_git_is_told_to_overlook_is_found(workspace: Workspace, top: Path) -> None:
    git = ["git", "-C", str(top), "-c", "user.email=a@example.org", "-c", "user.name=a"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *arguments], check=True)
    workspace.accept(workspace.capture())
    subprocess.run([*git, "update-index", "--assume-unchanged", "src/a.py"], check=True)
    (top / ".git" / "info" / "exclude").write_text("evil.py\n")
    (top / "src" / "a.py").write_text("AAAA")
    (top / "evil.py").touch()
    status = subprocess.run([*git, "status", "--short"], check=True, capture_output=True)
    assert status.stdout == b""
    found = kinds(workspace.capture())
    assert found["src/a.py"] == "modified"
    assert found["evil.py"] == "added"
    assert ".git/info/exclude" in found


def test_reading_and_touching_is_no_change(workspace: Workspace, top: Path) -> None:
    (top / "src" / "a.py").read_text()
    (top / "src" / "a.py").touch()
    (top / "src" / "a.py").write_text("aaaa")
    (top / "src" / "tmp").touch()
    (top / "src" / "tmp").unlink()
    assert workspace.capture() == ()


def test_what_becomes_something_else_is_found(workspace: Workspace, top: Path) -> None:
    (top / "src" / "a.py").unlink()
    (top / "src" / "a.py").mkdir()
    (top / "src" / "a.py" / "inner").touch()
    (top / "link").unlink()
    (top / "link").write_text("src/a.py")
    assert kinds(workspace.capture()) == {
        "link": "modified",
        "src/a.py": "modified",
        "src/a.py/inner": "added",
    }
    shutil.rmtree(top / "src")
    (top / "src").symlink_to("/etc")
    assert kinds(workspace.capture()) == {
        "link": "modified",
        "src": "modified",
        "src/a.py": "deleted",
        "src/b.py": "deleted",
    }


def test_a_link_is_an_entry_and_not_a_way(workspace: Workspace, top: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("s3cret")
    (top / "out").symlink_to(tmp_path / "outside")
    (top / "loop").symlink_to("loop")
    (top / "root").symlink_to("/proc/self/root")
    changes = workspace.capture()
    assert kinds(changes) == {"loop": "added", "out": "added", "root": "added"}
    assert {change.after.target for change in changes if change.after} == {
        "loop",
        str(tmp_path / "outside"),
        "/proc/self/root",
    }


def reasons(workspace: Workspace) -> dict[str, tuple[str, str]]:
    return {
        change.path: (change.after.kind, change.after.reason)
        for change in workspace.capture()
        if change.after
    }


def test_what_cannot_be_kept_is_told_with_its_reason(
    workspace: Workspace, top: Path, tmp_path: Path
) -> None:
    os.mkfifo(top / "pipe")
    with (top / "sparse").open("wb") as sparse:
        sparse.truncate(1 << 40)
    os.close(os.open(os.fsencode(top) + b"/odd\xff", os.O_CREAT))
    os.symlink(b"\xfe", os.fsencode(top / "oddlink"))
    (tmp_path / "secret").write_text("s3cret")
    (top / "stolen").hardlink_to(tmp_path / "secret")
    expected = {
        "pipe": ("other", "not_regular"),
        "sparse": ("other", "too_large"),
        "odd\\xff": ("other", "surrogate"),
        "oddlink": ("other", "surrogate"),
        "stolen": ("other", "hardlink"),
    }
    assert reasons(workspace) == expected
    assert reasons(workspace) == expected


@pytest.mark.parametrize("size", [10, IN_MEMORY + 1])
def test_a_file_with_all_its_names_inside_is_a_file(
    workspace: Workspace, top: Path, tmp_path: Path, size: int
) -> None:
    (top / "one").write_bytes(b"x" * size)
    (top / "src" / "two").hardlink_to(top / "one")
    assert reasons(workspace) == {"one": ("file", ""), "src/two": ("file", "")}
    workspace.accept(workspace.capture())
    (top / "one").write_bytes(b"y" * size)
    assert kinds(workspace.capture()) == {"one": "modified", "src/two": "modified"}
    (tmp_path / "three").hardlink_to(top / "one")
    assert set(reasons(workspace).values()) == {("other", "hardlink")}
    (tmp_path / "three").unlink()
    assert set(reasons(workspace).values()) == {("file", "")}


def test_a_file_that_never_holds_still_is_told(workspace: Workspace, top: Path) -> None:
    code = (
        "import os, sys\nfile = os.open('busy', os.O_WRONLY | os.O_CREAT)\n"
        "os.truncate(file, 1 << 26)\nprint(flush=True)\n"
        "while True: os.pwrite(file, os.urandom(1), 0)"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=top, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        found = reasons(workspace)
        writer.kill()
    assert found == {"busy": ("other", "changed_during_read")}


def test_depth_is_no_danger(workspace: Workspace, top: Path) -> None:
    here = os.open(top, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("dd", dir_fd=here)
        below = os.open("dd", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    found = [change.after for change in workspace.capture() if change.after]
    assert {entry.reason for entry in found} == {"", "too_long"}
    assert workspace.restore()
    assert workspace.capture() == ()
    assert set(os.listdir(top)) == {"link", "src"}


def test_a_workspace_that_was_moved_away_is_empty(workspace: Workspace, top: Path) -> None:
    top.rename(top.with_name("moved"))
    assert set(kinds(workspace.capture()).values()) == {"deleted"}
    assert workspace.restore() == ["link", "src", "src/a.py", "src/b.py"]
    assert (top / "src" / "a.py").read_text() == "aaaa"


def test_a_link_in_the_place_of_the_workspace_leads_nowhere(
    workspace: Workspace, top: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").touch()
    shutil.rmtree(top)
    top.symlink_to(tmp_path / "outside")
    assert set(kinds(workspace.capture()).values()) == {"deleted"}
    workspace.restore()
    assert not top.is_symlink()
    assert os.listdir(tmp_path / "outside") == ["file"]


def test_what_is_closed_to_its_owner_is_told_and_put_back() -> None:
    home = Path(tempfile.mkdtemp(prefix="custody-test-"))
    home.chmod(0o777)

    def work() -> None:
        source = home / "source"
        for name in ("shut", "listed", "locked/inner"):
            (source / name).mkdir(parents=True)
            (source / name / "file").write_text(name)
        (source / "locked" / "inner").chmod(0o555)
        with RunDirectory.create(str(home / "runs"), "r1") as run:
            workspace = Workspace.create(run, str(source))
            top = Path(workspace.path)
            (top / "shut" / "more").mkdir()
            (top / "shut" / "more").chmod(0)
            (top / "shut").chmod(0)
            (top / "listed").chmod(0o444)
            (top / "locked" / "inner").chmod(0o755)
            (top / "locked" / "inner" / "file").unlink()
            (top / "locked" / "inner").chmod(0o500)
            top.chmod(0)
            found = reasons(workspace)
            assert found["shut"] == found["listed"] == ("other", "unreadable")
            workspace.restore()
            assert workspace.capture() == ()
            assert (top / "locked" / "inner" / "file").read_text() == "locked/inner"
            assert not (top / "shut" / "more").exists()
            workspace.close()

    try:
        as_nobody(work)
    finally:
        remove(home)

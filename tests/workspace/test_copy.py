from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from custody.errors import CustodyError, PathRefused
from custody.store.rundir import RunDirectory
from custody.store.workers import FEW
from custody.workspace.contents import IN_MEMORY
from custody.workspace.workspace import Workspace
from support.programs import needs
from support.trees import as_nobody, differing, picture
from support.workspaces import Site


def fill(source: Path) -> None:
    (source / "src" / "deep").mkdir(parents=True)
    (source / "src" / "main.py").write_text("print()\n")
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    (source / "secret").write_text("x")
    (source / "secret").chmod(0o400)
    (source / "empty").mkdir()
    (source / "link").symlink_to("src/main.py")
    (source / "dangling").symlink_to("../nowhere/at all")
    (source / "loop").symlink_to("loop")
    (source / "up").symlink_to("..")
    (source / "src" / "größe ☃.txt").write_text("ü")


@pytest.mark.req("P-04")
def test_the_copy_is_the_source(site: Site) -> None:
    fill(site.source)
    workspace = site.workspace()
    assert differing(picture(site.source), picture(Path(workspace.path))) == []
    assert workspace.base.entries == len(workspace.expected) == len(picture(site.source))
    assert workspace.base.omitted == ()
    assert workspace.capture() == ()


@pytest.mark.req("P-04")
def test_modes_of_folders_are_kept(site: Site) -> None:
    closed = site.source / "closed" / "inner"
    closed.mkdir(parents=True)
    (closed / "file").touch()
    closed.chmod(0o555)
    closed.parent.chmod(0o1750)
    workspace = site.workspace()
    assert differing(picture(site.source), picture(Path(workspace.path))) == []
    closed.chmod(0o755)
    (Path(workspace.path) / "closed" / "inner").chmod(0o755)


@pytest.mark.req("P-04")
def test_the_source_is_not_written(site: Site) -> None:
    fill(site.source)
    for folder, names, files in os.walk(site.source, topdown=False):
        for name in (*names, *files):
            if not (path := Path(folder, name)).is_symlink():
                path.chmod(path.stat().st_mode & ~0o222)
    site.source.chmod(0o555)
    states = {path: path.lstat() for path in site.source.rglob("*")}
    workspace = site.workspace()
    Path(workspace.path, "src", "main.py").chmod(0o600)
    Path(workspace.path, "src", "main.py").write_text("changed")
    for path, before in states.items():
        after = path.lstat()
        assert (after.st_mtime_ns, after.st_ctime_ns, after.st_ino, after.st_nlink) == (
            before.st_mtime_ns,
            before.st_ctime_ns,
            before.st_ino,
            before.st_nlink,
        )
    assert (site.source / "src" / "main.py").read_text() == "print()\n"


@pytest.mark.req("P-04")
def test_git_is_left_out_at_any_depth(site: Site) -> None:
    (site.source / ".git" / "objects").mkdir(parents=True)
    (site.source / "lib" / "sub").mkdir(parents=True)
    (site.source / "lib" / "sub" / ".git").write_text("gitdir: ../..\n")
    (site.source / "lib" / ".git").symlink_to("..")
    (site.source / ".gitignore").touch()
    (site.source / "x.git").mkdir()
    workspace = site.workspace()
    assert workspace.base.omitted == (".git", "lib/.git", "lib/sub/.git")
    assert set(picture(Path(workspace.path))) == {".gitignore", "lib", "lib/sub", "x.git"}


@pytest.mark.req("P-04")
@pytest.mark.parametrize("name", ["runs", ".custody/runs", "link"])
def test_a_runsdir_inside_the_source_is_left_out(site: Site, name: str) -> None:
    (site.source / "a").touch()
    (site.source / "elsewhere").mkdir()
    (site.source / "link").symlink_to("elsewhere")
    site.runsdir = site.source / name
    (site.runsdir / "r0").mkdir(parents=True)
    (site.runsdir / "r0" / "old").touch()
    workspace = site.workspace()
    real = os.path.relpath(os.path.realpath(site.runsdir), site.source)
    assert workspace.base.omitted == (real,)
    assert not Path(workspace.path, real).exists()
    assert Path(workspace.path, "a").exists()


@pytest.mark.req("P-04")
def test_a_run_beside_the_source_files_is_left_out(site: Site) -> None:
    (site.source / "a").touch()
    site.runsdir = site.source
    workspace = site.workspace()
    assert len(workspace.base.omitted) == 1
    assert set(picture(Path(workspace.path))) == {"a"}


def test_what_is_no_file_is_left_out_and_told(site: Site) -> None:
    os.mkfifo(site.source / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(site.source)
        try:
            listener.bind("socket")
        finally:
            os.chdir(here)
    (site.source / "file").touch()
    workspace = site.workspace()
    assert workspace.base.omitted == ("pipe", "socket")
    assert set(workspace.expected) == {"file"}


def test_hard_links_become_files_of_their_own(site: Site) -> None:
    (site.source / "one").write_text("x")
    (site.source / "two").hardlink_to(site.source / "one")
    workspace = site.workspace()
    assert Path(workspace.path, "one").stat().st_nlink == 1
    assert workspace.capture() == ()


def test_times_of_files_are_kept(site: Site) -> None:
    (site.source / "file").write_text("x")
    os.utime(site.source / "file", ns=(1_000_000_007, 2_000_000_009))
    workspace = site.workspace()
    assert Path(workspace.path, "file").stat().st_mtime_ns == 2_000_000_009


def test_every_content_is_kept(site: Site) -> None:
    fill(site.source)
    (site.source / "large").write_bytes(b"ab" * IN_MEMORY)
    workspace = site.workspace()
    blobs = site.runsdir / "r1" / "blobs"
    for entry in workspace.expected.values():
        if entry.kind == "file":
            content = (blobs / entry.sha256[:2] / entry.sha256).read_bytes()
            assert hashlib.sha256(content).hexdigest() == entry.sha256
            assert content == (site.source / entry.path).read_bytes()
            assert entry.bytes == len(content)


@pytest.mark.parametrize("odd", [b"ok/b\xff", b"b\xff"])
def test_a_name_that_is_not_utf8_is_refused_and_nothing_is_left(site: Site, odd: bytes) -> None:
    (site.source / "ok").mkdir()
    (site.source / "a").touch()
    os.close(os.open(os.fsencode(site.source) + b"/" + odd, os.O_CREAT))
    run = site.run()
    with pytest.raises(PathRefused) as caught:
        Workspace.create(run, str(site.source))
    assert caught.value.code == "surrogate"
    assert caught.value.where == odd.decode("utf-8", "backslashreplace")
    assert set(os.listdir(run.path)) <= {"blobs"}


def test_a_link_target_that_is_not_utf8_is_refused(site: Site) -> None:
    os.symlink(b"\xff", os.fsencode(site.source / "link"))
    with pytest.raises(PathRefused, match="UTF-8"):
        site.workspace()


def test_a_missing_source_is_told(site: Site) -> None:
    site.source.rmdir()
    run = site.run()
    with pytest.raises(CustodyError) as caught:
        Workspace.create(run, str(site.source))
    assert str(site.source) in str(caught.value)
    assert os.listdir(run.path) == []


def test_without_a_source_there_is_nothing(site: Site) -> None:
    run = site.run()
    workspace = Workspace.create(run, None)
    assert workspace.capture() == ()
    assert workspace.base.entries == 0
    assert workspace.path == f"{run.path}/workspace"
    workspace.close()


def test_a_file_that_cannot_be_read_is_told() -> None:
    home = Path(tempfile.mkdtemp(prefix="custody-test-"))
    home.chmod(0o777)

    def work() -> None:
        source = home / "source"
        source.mkdir()
        (source / "closed").touch()
        (source / "closed").chmod(0)
        with RunDirectory.create(str(home / "runs"), "r1") as run:
            with pytest.raises(PathRefused) as caught:
                Workspace.create(run, str(source))
            assert "workspace" not in os.listdir(run.path)
        assert caught.value.code == "unreadable"
        assert caught.value.where == str(source / "closed")

    try:
        as_nobody(work)
    finally:
        shutil.rmtree(home)


@needs("strace")
def test_contents_are_synced_before_the_first_file_is_made(tmp_path: Path) -> None:
    """Later, the sync would wait for the files as well, which need not be durable."""
    source = tmp_path / "source"
    source.mkdir()
    for number in range(FEW + 50):
        (source / f"f{number}").write_text(f"{number}\n")
    (tmp_path / "p.dot").write_text(
        "digraph p { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }"
    )
    for run in ("first", "second"):
        trace = ["strace", "-f", "-qq", "-o", run, "-e", "trace=linkat,syncfs,utimensat"]
        command = [*trace, sys.executable, "-m", "custody", "run", "p.dot", "--workdir", "source"]
        subprocess.run([*command, "--run-id", run], cwd=tmp_path, check=True, capture_output=True)
        lines = (tmp_path / run).read_text().splitlines()
        calls = [line.split()[1].partition("(")[0] for line in lines]
        synced = calls.index("syncfs")
        assert calls[:synced].count("linkat") > (FEW if run == "second" else -1)
        assert calls[:synced].count("utimensat") <= 2  # to see what the file system makes of times
        assert calls[synced:].count("utimensat") > FEW
        assert calls.count("syncfs") == 1

"""What ``custody diff`` prints is a patch, whatever a run has changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File
from support.patches import Tree, get_tree, put_tree
from support.shell import Shell, command

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

MANY = b"".join(b"line %d\n" % number for number in range(400))
BEFORE: Tree = {
    b"text": File(REGULAR, MANY),
    b"crlf": File(REGULAR, b"one\r\ntwo\r\n"),
    b"latin1": File(REGULAR, b"caf\xe9\n"),
    b"no newline": File(REGULAR, b"end"),
    b"binary": File(REGULAR, bytes(range(256))),
    b"large": File(REGULAR, b"x" * 3_000_000),
    b"script": File(REGULAR, b"#!/bin/sh\n"),
    b"gone": File(EXECUTABLE, b"bye\n"),
    b"empty-gone": File(REGULAR, b""),
    b"link": File(SYMLINK, b"text"),
    b"link-to-file": File(SYMLINK, b"text"),
    b"file-to-link": File(REGULAR, b"x\n"),
    b"folder/a": File(REGULAR, b"a\n"),
    b"folder/deep/b": File(REGULAR, b"b\n"),
    b"file": File(REGULAR, b"f\n"),
    b"moved from": File(REGULAR, MANY + b"moved\n"),
    b"kept": File(REGULAR, b"kept\n"),
}
AFTER: Tree = {
    b"text": File(REGULAR, MANY.replace(b"line 200\n", b"\x0c\n\xe2\x80\xa8\n\x1b[2J\n")),
    b"crlf": File(REGULAR, b"one\r\n2\r\n"),
    b"latin1": File(REGULAR, b"th\xe9\n"),
    b"no newline": File(REGULAR, b"end\n"),
    b"binary": File(EXECUTABLE, bytes(range(255, -1, -1))),
    b"large": File(REGULAR, b"y" * 3_000_000),
    b"script": File(EXECUTABLE, b"#!/bin/sh\n"),
    b"link": File(SYMLINK, b"kept"),
    b"link-to-file": File(REGULAR, b"text"),
    b"file-to-link": File(SYMLINK, b"kept"),
    b"folder": File(REGULAR, b"no folder any more\n"),
    b"file/below": File(REGULAR, b"below\n"),
    b"moved to": File(REGULAR, MANY + b"moved\n"),
    b"kept": File(REGULAR, b"kept\n"),
    b"empty": File(REGULAR, b""),
    b"new/run": File(EXECUTABLE, b"#!/bin/sh\necho\n"),
    b"new/x b/x y ": File(REGULAR, b"spaces\n"),
    b'new/tab\there\nand "quotes" \\ there': File(REGULAR, b"odd\n"),
    "new/café\u2028".encode(): File(REGULAR, b"\0\n"),
    b"new/blank /below": File(REGULAR, b""),
    b"new/-dash": File(SYMLINK, b"../kept"),
}  # fmt: skip
PIPELINE = """
digraph changes {
    start [shape=Mdiamond]
    work  [type=tool, tool_command="python3 change.py"]
    done  [shape=Msquare]
    start -> work -> done
}
"""
LEFT = {path: tuple(file) for path, file in AFTER.items()}
CHANGE = f"""
import os, shutil
for name in os.listdir():
    if name != "change.py":
        shutil.rmtree(name) if os.path.isdir(name) and not os.path.islink(name) else os.remove(name)
for path, (mode, content) in {LEFT!r}.items():
    os.makedirs(os.path.dirname(path) or b".", exist_ok=True)
    if mode == {SYMLINK}:
        os.symlink(content, path)
    else:
        open(path, "wb").write(content)
        os.chmod(path, mode & 0o777)
os.mkdir("empty folder")
"""


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """Return the command line in a folder with one run, of which every kind of change came."""
    home = tmp_path_factory.mktemp("changed")
    source = home / "source"
    source.mkdir()
    put_tree(source, BEFORE)
    (source / "change.py").write_text(CHANGE)
    custody = Shell(home)
    custody.write("changes.dot", PIPELINE)
    done = custody("run", "changes.dot", "--workdir", "source", "--run-id", "r1")
    assert done.code == 0, done
    return custody


def printed(custody: Shell, *words: str) -> bytes:
    """Return what a command writes to a pipe, byte for byte."""
    done = subprocess.run(
        command(*words),
        cwd=custody.folder,
        env=custody.environment,
        capture_output=True,
        check=True,
        timeout=120,
    )
    return done.stdout


@pytest.mark.req("G-04")
def test_git_makes_the_runs_workspace_of_it(changed: Shell, tmp_path: Path) -> None:
    patch = printed(changed, "diff", "last")
    target = tmp_path / "target"
    target.mkdir()
    put_tree(target, BEFORE)
    (tmp_path / "changes.patch").write_bytes(patch)
    environment = {"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(tmp_path)}
    subprocess.run(
        ["git", "apply", "--binary", "../changes.patch"],
        cwd=target, env=environment, check=True, timeout=60,
    )  # fmt: skip
    assert get_tree(target) == AFTER
    workspace = next(changed.folder.glob(".custody/runs/r1/workspace"))
    assert get_tree(workspace, left_out=lambda path: path == b"change.py") == AFTER


def test_a_stage_has_a_heading_for_each_change(changed: Shell) -> None:
    patch = printed(changed, "diff", "last", "work")
    assert b"modified latin1  nodes/work/1.1\ndiff --git a/latin1 b/latin1\n" in patch
    assert b"-caf\xe9\n+th\xe9\n" in patch
    assert b"added    empty folder  (dir)  nodes/work/1.1\n" in patch


def test_names_are_lines(changed: Shell) -> None:
    names = printed(changed, "diff", "last", "--names").decode().splitlines()
    assert 'added    "new/tab\\there\\nand \\"quotes\\" \\\\ there"' in names
    assert "added    empty folder  (dir)" in names


def test_the_text_for_a_program(changed: Shell) -> None:
    data = json.loads(printed(changed, "diff", "last", "--json"))
    diffs = {change["path"]: change["diff"] for change in data["changes"]}
    assert diffs["latin1"].endswith("\n-caf\\xe9\n+th\\xe9")
    assert diffs["binary"].endswith("Binary files a/binary and b/binary differ")
    assert diffs["empty folder"] == ""


def test_a_terminal_shows_no_binary_data(changed: Shell) -> None:
    shown = changed.on_terminal("diff", "last").out
    assert "GIT binary patch" not in shown
    assert "Binary files a/large and b/large differ" in shown
    assert "+\\x0c" in shown


def test_diff_is_a_patch(sample: Shell, tmp_path: Path) -> None:
    patch = sample("diff", "r1").out
    assert patch.splitlines()[-1] == "+hello, world"
    target = tmp_path / "target"
    target.mkdir()
    subprocess.run(["git", "apply", "-"], input=patch, cwd=target, text=True, check=True)
    assert (target / "greeting.txt").read_text() == "hello, world\n"


def test_diff_of_a_stage_has_every_attempt(sample: Shell) -> None:
    assert sample("diff", "r1", "write", "--names").out.splitlines() == [
        "added    greeting.txt  nodes/write/1.1",
        "modified greeting.txt  nodes/write/2.1",
    ]
    assert sample("diff", "r1", "check").out == "nothing was changed\n"
    assert sample("diff", "r1", "nowhere").code == 1


def test_diff_as_json(sample: Shell) -> None:
    (change,) = sample("diff", "r1", "--json").data["changes"]
    assert (change["path"], change["change"], change["kept"]) == ("greeting.txt", "added", True)
    assert change["diff"].endswith("+hello, world")

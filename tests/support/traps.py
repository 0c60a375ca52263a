"""Traps in a workspace, described in words or as shell commands, and how to set them.

``ws`` is the workspace and ``/outside`` a folder that nobody may reach. A description that no
rule reads is an error: a case must not pass because nothing was done.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

_COMMAND = re.compile(
    r"(?:ln|mkfifo|mknod|truncate|mount|mkdir|touch|chmod|chattr|rm|rmdir|mv|cp|echo|printf) "
)
_REMARK = re.compile(r"\s+\([^()]*\)\s*$")
_KEEP_CHANGING = """
import os, sys
path, how = sys.argv[1:]
descriptor = os.open(path, os.O_RDWR)
size = os.fstat(descriptor).st_size
print("ready", flush=True)
while True:
    if how == "grows":
        os.pwrite(descriptor, b"x", size); size += 1
    elif how == "shrinks":
        size = max(size - 1, 0); os.ftruncate(descriptor, size)
    else:
        os.pwrite(descriptor, os.urandom(1), size // 2)
"""
LARGE = 32 << 20
"""A file of this size takes long enough to read for somebody to change it meanwhile."""


class Place(NamedTuple):
    """Where a trap is set."""

    workspace: Path
    outside: Path
    path: str
    """What the case is about, relative to the workspace."""
    meanwhile: ExitStack
    """Ends whatever goes on in the background."""


Setter = Callable[[Place, re.Match[str]], None]


def needs_root(setup: list[str]) -> bool:
    """Whether only root can set these traps."""
    return any(re.match(r"mknod\b(?!.* p\b)|mount |chattr ", line) for line in setup)


def needs_mounts(setup: list[str]) -> bool:
    """Whether these traps include a mount."""
    return any(line.startswith("mount ") for line in setup)


def set_trap(description: str, place: Place) -> None:
    """Do what a description says."""
    for pattern, setter in RULES:
        if found := re.search(pattern, description):
            setter(place, found)
            return
    if not _COMMAND.match(description):
        raise AssertionError(f"nobody knows how to set this trap: {description!r}")
    _run_command(_REMARK.sub("", description), place)


def _run_command(text: str, place: Place) -> None:
    text = text.replace("/outside", str(place.outside))
    for target in re.findall(r"(?<!\S)ws/(\S+)", text):
        (place.workspace / target).parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("mount "):
            (place.workspace / target).mkdir()
    text = re.sub(r"(?<!\S)ws(?=/|\s|$)", str(place.workspace), text)
    subprocess.run(["sh", "-c", text], check=True)


def _past_path_max(place: Place, found: re.Match[str]) -> None:
    """Make folders whose real path is longer than PATH_MAX behind a short path of links."""
    *steps, link, _ = place.path.split("/")
    folder = os.open(place.workspace, os.O_RDONLY)
    for depth, step in enumerate(steps):
        long_name = f"{depth:02d}".ljust(int(found[1]), "d")
        os.mkdir(long_name, dir_fd=folder)
        os.symlink(long_name, step, dir_fd=folder)
        following = os.open(long_name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = following
    way_up = os.path.relpath(place.outside, place.workspace)
    os.symlink(f"{'../' * len(steps)}{way_up}", link, dir_fd=folder)
    os.close(folder)


def _closed(place: Place, found: re.Match[str]) -> None:
    target = place.workspace / found[1]
    below = place.path.removeprefix(f"{found[1]}/")
    if below != place.path:
        target.mkdir()
        (target / below).write_text("x")
    else:
        target.write_text("x")
    target.chmod(int(found[2], 8))


def _keeps_changing(place: Place, found: re.Match[str]) -> None:
    """Let somebody write a file for as long as the case lasts."""
    file = place.workspace / place.path
    with file.open("wb") as opened:
        opened.truncate(LARGE)
    writer = subprocess.Popen(
        [sys.executable, "-c", _KEEP_CHANGING, str(file), found[1]],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    place.meanwhile.callback(_end, writer)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def _same_size_edit(place: Place, _: re.Match[str]) -> None:
    for file in filter(Path.is_file, place.workspace.iterdir()):
        state = file.stat()
        file.write_bytes(bytes(byte ^ 1 for byte in file.read_bytes()))
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def _hidden_from_git(place: Place, found: re.Match[str]) -> None:
    """Edit a file that git was told to believe unchanged."""
    flag, name = found[1], found[2]
    _git(place, "add", "-A")
    _git(place, "commit", "-qm", "x")
    _git(place, "update-index", flag, name)
    (place.workspace / name).write_text("edited")
    shown = _git(place, "status", "--porcelain", name)
    assert shown == "", "git would have seen it"


def _excluded_from_git(place: Place, found: re.Match[str]) -> None:
    """Add a file that git was told to leave alone."""
    _git(place, "add", "-A")
    folder, name = place.workspace, found[2]
    if name.startswith(".git/"):
        folder, name = _repository(place), name.removeprefix(".git/")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(f"{found[1]}\n")
    (place.workspace / found[1]).write_text("evil")
    assert found[1] not in _git(place, "status", "--porcelain", "--", found[1])


def _repository(place: Place) -> Path:
    """Return where git keeps what it knows of the workspace: nobody may leave that in there."""
    home = place.outside.parent
    return home.with_name(f"{home.name}.repository")


def _git(place: Place, *words: str) -> str:
    environment = {
        "GIT_DIR": str(_repository(place)), "GIT_WORK_TREE": str(place.workspace),
        "PATH": os.environ["PATH"], "HOME": str(place.outside), "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }  # fmt: skip
    if not _repository(place).exists():
        subprocess.run(["git", "init", "-q"], cwd=place.workspace, env=environment, check=True)
    done = subprocess.run(
        ["git", *words], cwd=place.workspace, env=environment, check=True, capture_output=True
    )
    return done.stdout.decode()


def _socket(place: Place, found: re.Match[str]) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        folder = os.open(place.workspace, os.O_RDONLY)
        made.bind(f"/proc/self/fd/{folder}/{found[1]}")
        os.close(folder)


def _odd_bytes(place: Place, _: re.Match[str]) -> None:
    (place.workspace / os.fsdecode(b"odd\xff")).write_text("x")


def _gone(place: Place, found: re.Match[str]) -> None:
    (place.workspace / found[1]).unlink()


def _other_case(place: Place, found: re.Match[str]) -> None:
    (place.workspace / found[1]).write_text("x")


RULES: tuple[tuple[str, Setter], ...] = (
    (r"nested dirs of (\d+) chars", _past_path_max),
    (r"^(?:ws/)?(\S+) is mode (\d+)", _closed),
    (r"file (grows|shrinks|changes) while", _keeps_changing),
    (r"same-size edit", _same_size_edit),
    (r"git update-index (--[a-z-]+) (\w+)", _hidden_from_git),
    (r"add (\S+) to (\.git/info/exclude|\.gitignore)", _excluded_from_git),
    (r"socket (?:at |bound at )?ws/(\S+)", _socket),
    (r"not UTF-8|invalid UTF-8", _odd_bytes),
    (r"^(?:ws/)?(\S+) is deleted", _gone),
    (r"^(?:ws/)?(\S+) differs only by case", _other_case),
)

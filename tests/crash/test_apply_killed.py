"""Taking changes over is hit at every call that changes the folder, and comes out old or new.

Killed there, everything is old or new file by file, and the next one finishes. Told that the disk
is full or broken, it changes nothing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.model import layout
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File
from support.patches import Tree, get_tree, put_tree
from support.shell import Shell, command
from support.sweep import Sweep

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")

CALLS = (
    "renameat", "renameat2", "rename", "mkdir", "mkdirat", "unlink", "unlinkat", "rmdir",
    "symlinkat", "fchmod", "fsync", "linkat",
)  # fmt: skip
BEFORE: Tree = {
    b"text": File(REGULAR, b"one\n"),
    b"gone": File(REGULAR, b"bye\n"),
    b"link": File(SYMLINK, b"text"),
    b"folder/a": File(REGULAR, b"a\n"),
    b"change.sh": File(
        REGULAR,
        b"echo two > text; rm gone; ln -sf change.sh link; rm -r folder; echo f > folder\n"
        b"mkdir new; echo x > new/x; chmod 755 new/x; touch new/empty\n",
    ),
}
AFTER: Tree = {
    b"text": File(REGULAR, b"two\n"),
    b"link": File(SYMLINK, b"change.sh"),
    b"folder": File(REGULAR, b"f\n"),
    b"new/x": File(EXECUTABLE, b"x\n"),
    b"new/empty": File(REGULAR, b""),
    b"change.sh": BEFORE[b"change.sh"],
}
PIPELINE = """
digraph p {
    start [shape=Mdiamond]
    work  [type=tool, tool_command="sh change.sh"]
    done  [shape=Msquare]
    start -> work -> done
}
"""
FAULTS = {"killed": "signal=KILL", "disk full": "error=ENOSPC"}


class Place:
    """A source, a run over it, and folders like the source that its changes go to."""

    def __init__(self, home: Path) -> None:
        self.shell = Shell(home)
        self.shell.environment["PYTHONDONTWRITEBYTECODE"] = "1"
        put_tree(home / "source", BEFORE)
        self.shell.write("p.dot", PIPELINE)
        done = self.shell("run", "p.dot", "--workdir", "source", "--run-id", "r1")
        assert done.code == 0, done.err

    def target(self, name: str) -> Path:
        made = self.shell.folder / name
        put_tree(made, BEFORE)
        return made

    def applied(self, target: Path, *prefix: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*prefix, *command("apply", "r1", "--to", str(target))],
            cwd=self.shell.folder, env=self.shell.environment, capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip

    def points(self) -> list[str]:
        """Return each call that changes a target, as its name and number."""
        target, log = self.target("points"), self.shell.folder / "strace.log"
        tracing = ("strace", "-f", "-y", "-o", str(log), "-e", f"trace={','.join(CALLS)}")
        done = self.applied(target, *tracing)
        assert done.returncode == 0, done.stderr
        assert get_tree(target) == AFTER
        return list(numbered(log.read_text(), str(target)))


def numbered(log: str, target: str) -> Iterator[str]:
    counts = dict.fromkeys(CALLS, 0)
    for line in log.splitlines():
        found = re.match(r"\d+\s+(\w+)\(", line)
        if found and found[1] in counts:
            counts[found[1]] += 1
            if target in line:
                yield f"{found[1]}#{counts[found[1]]}"


@pytest.mark.req("U-07")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("fault", FAULTS)
def test_old_or_new(fault: str, tmp_path: Path, sweep: Sweep) -> None:
    place = Place(tmp_path)
    found = place.points()
    chosen = sweep.points(
        found, every=6, about=fault, kind=lambda point: point.partition("#")[0],
        must=["renameat2"], most=3,
    )  # fmt: skip
    sweep.over(chosen, lambda point: next(troubles(place, point, FAULTS[fault]), ""))


def troubles(place: Place, point: str, fault: str) -> Iterator[str]:
    """Yield what is wrong after an apply was hit at one point, and repeated."""
    call, _, number = point.partition("#")
    target = place.target(f"{call}-{number}-{fault[:3]}")
    inject = f"inject={call}:{fault}:when={number}"
    hit = place.applied(target, "strace", "-f", "-qq", "-o", "/dev/null", "-e", inject)
    if "Traceback" in hit.stderr:
        yield f"a traceback: {hit.stderr}"
    there = {
        path: file
        for path, file in get_tree(target).items()
        if not path.startswith(layout.TAKEOVER.encode())
    }
    odd = [path for path, file in there.items() if file not in (BEFORE.get(path), AFTER.get(path))]
    if odd:
        yield f"neither old nor new: {odd}"
    if not fault.startswith("signal") and there not in (BEFORE, AFTER):
        yield f"half of it: {sorted(there)}, {hit.returncode} {hit.stderr}"
    again = place.applied(target)
    if again.returncode != 0:
        yield f"cannot be repeated: {again.stdout} {again.stderr}"
    if get_tree(target) != AFTER:
        yield f"not finished: {sorted(get_tree(target))}"
    shutil.rmtree(target)

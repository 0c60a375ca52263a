"""From inside a sandbox nothing tells where the run directory lies."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from support.bench import Bench

LOOK = """
import glob, os, sys
print(open(sys.argv[1]).read() if sys.argv[1:] else "")
ways = "mountinfo mounts mountstats environ cmdline cgroup maps stat status".split()
for path in ["/etc/mtab", *(f for way in ways for f in glob.glob("/proc/[0-9]*/" + way))]:
    try:
        print(path, open(path, errors="replace").read())
    except OSError as error:
        print(path, error.strerror)
links = [f for way in ("cwd", "root", "exe", "fd/*") for f in glob.glob("/proc/[0-9]*/" + way)]
for path in links:
    try:
        print(path, os.readlink(path))
    except OSError as error:
        print(path, error.strerror)
for folder, _, names in os.walk("/cache"):
    print(folder, names)
print(os.environ, os.listdir("/"), os.listdir(os.environ["HOME"]))
"""
CODEX = "#!/bin/sh\nexec python3 look.py\n"
"""Whoever is called so is started as the real one is, in a home of its own."""
BODIES = {
    "tool": 'a [type=tool, tool_command="python3 look.py"]',
    "after an install step": (
        'b [type=tool, tool_command="sh fill.sh"] a [type=tool, tool_command="python3 look.py"]'
    ),
    "command": 'a [prompt="x", agent=command, command.argv="python3 look.py {PROMPT_PATH}"]',
    "coding agent": 'a [prompt="x", agent=codex, codex.model=m]',
    "verification": (
        'a [type=verification, verification.required_commands="python3 look.py",'
        ' verification.allowed_commands="python3 look.py"]'
    ),
}


@pytest.mark.req("G-11")
@pytest.mark.parametrize("name", BODIES)
def test_no_path_of_the_runs_can_be_read(
    bench: Bench, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench.workdir / "look.py").write_text(LOOK)
    (bench.workdir / "fill.sh").write_text("mkdir -p $PIP_CACHE_DIR; echo x > $PIP_CACHE_DIR/x\n")
    monkeypatch.setenv("PATH", f"{program(bench.home, 'codex', CODEX)}:{os.environ['PATH']}")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    body = BODIES[name]
    way = "start -> b -> a -> done" if " b [" in f" {body}" else "start -> a -> done"
    bench.run(f"{body}\n{way}", confinement="L3")
    said = "".join(path.read_text() for path in bench.path("nodes/a/1.1").glob("*.stdout.log"))
    assert "/proc/2/mountinfo" in said or "/proc/3/mountinfo" in said, said
    assert str(bench.runsdir) not in said, [
        line for line in said.splitlines() if str(bench.runsdir) in line
    ]


def program(home: Path, name: str, text: str) -> str:
    """Put a program into a folder of its own; return the folder."""
    folder = home / "programs"
    folder.mkdir()
    (folder / name).write_text(text)
    (folder / name).chmod(stat.S_IRWXU)
    return str(folder)

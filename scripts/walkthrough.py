"""Do what a page of the documentation says, and compare what happens with what it shows.

A fence with a title (```` ```dot title=fix.dot ````) is a file to write. In a ``console`` fence a
line that starts with ``$ `` is a command, and the lines below it are what it prints on standard
output and standard error together: ``…`` stands for any text in a line, and a line of ``…`` alone
for any lines. A command must succeed unless ``(exit N)`` stands below its output.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^```(\w+)(?: title=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"\(exit (\d+)\)")


@dataclass
class Step:
    """One command and what the page shows below it."""

    command: str
    shown: list[str] = field(default_factory=list)
    status: int = 0


def follow(page: Path, folder: Path, *, programs: str = "") -> list[str]:
    """Do every step in ``folder``; return what differed, each as a text for a person.

    Commands are found by ``programs``, which is what PATH is set to; without it, those of the
    environment that runs this come first.
    """
    programs = programs or f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    wrong = []
    for kind, title, text in FENCE.findall(page.read_text("utf-8")):
        if title:
            path = folder / title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        elif kind == "console":
            wrong += [fault for step in steps(text) if (fault := _do(step, folder, programs))]
    return wrong


def steps(text: str) -> list[Step]:
    """Return the commands of one console fence."""
    found: list[Step] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Step(line.removeprefix("$ ")))
        elif status := EXIT.fullmatch(line):
            found[-1].status = int(status[1])
        else:
            found[-1].shown.append(line)
    return found


def matches(shown: list[str], printed: str) -> bool:
    """Tell whether what was printed is what the page shows."""
    parts = [r"(?:.*\n)*" if line == "…" else _line(line) for line in shown]
    return re.fullmatch("".join(parts), printed) is not None


def _line(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.split("…")) + "\n"


def _do(step: Step, folder: Path, programs: str) -> str:
    done = subprocess.run(
        ["bash", "-c", step.command],
        cwd=folder,
        env={"PATH": programs, "HOME": str(folder), "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode != step.status:
        return f"$ {step.command}\nexit {done.returncode}, not {step.status}:\n{done.stdout}"
    if not matches(step.shown, done.stdout):
        shown = "\n".join(step.shown)
        return f"$ {step.command}\nprinted:\n{done.stdout}\nbut the page shows:\n{shown}"
    return ""

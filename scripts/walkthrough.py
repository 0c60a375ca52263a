"""Do what a page of the documentation says, and compare what happens with what it shows.

A fence with a title (```` ```dot title=fix.dot ````) is a file to write. In a ``console`` fence a
line that starts with ``$ `` is a command, which goes on in those that start with ``> ``, and the
lines below it are what it prints on standard output and standard error together: ``…`` stands for
any text in a line, and a line of ``…`` alone for any lines. A command must succeed unless
``(exit N)`` stands below its output. Each command has a shell of its own, unless the page is
followed `in_one_shell`, where one goes on from the other.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer

FENCE = re.compile(r"^```(\w+)(?: title=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"\(exit (\d+)\)")
LONGEST = 280.0
"""Seconds that all commands of a page may take in one shell."""


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


def in_one_shell(page: str, folder: Path, environment: Mapping[str, str]) -> list[str]:
    """Do every step of a page's text in one shell, as a reader does; return what differed.

    A folder that was entered, a variable that was exported and a program that was started in the
    background are there for the next command. The first difference is the last: what follows it
    would tell nothing.
    """
    with subprocess.Popen(
        ["bash"],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as shell:
        limit = Timer(LONGEST, os.killpg, (shell.pid, signal.SIGKILL))
        limit.start()
        try:
            for kind, title, text in FENCE.findall(page):
                if title:
                    (folder / title).write_text(text, "utf-8")
                elif kind == "console":
                    for step in steps(text):
                        if fault := _fault(step, *_ask(shell, step.command)):
                            return [fault]
        finally:
            limit.cancel()
            os.killpg(shell.pid, signal.SIGKILL)
    return []


def _ask(shell: subprocess.Popen[str], command: str) -> tuple[int, str]:
    """Let a shell do a command; return its exit status and what it printed."""
    assert shell.stdin is not None
    assert shell.stdout is not None
    mark = "that was the command"
    shell.stdin.write(f"{{ {command}\n}} </dev/null; printf '%s %s\\n' '{mark}' \"$?\"\n")
    shell.stdin.flush()
    printed = ""
    for line in shell.stdout:
        before, found, status = line.partition(mark)
        printed += before
        if found:
            return int(status), printed
    return -1, f"{printed}the shell ended\n"


def steps(text: str) -> list[Step]:
    """Return the commands of one console fence."""
    found: list[Step] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Step(line.removeprefix("$ ")))
        elif line.startswith("> ") and not found[-1].shown:
            found[-1].command += line.replace("> ", "\n", 1)
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
    return _fault(step, done.returncode, done.stdout)


def _fault(step: Step, status: int, printed: str) -> str:
    """Return how a command ended otherwise than the page says; empty where it did not."""
    if status != step.status:
        return f"$ {step.command}\nexit {status}, not {step.status}:\n{printed}"
    if not matches(step.shown, printed):
        shown = "\n".join(step.shown)
        return f"$ {step.command}\nprinted:\n{printed}\nbut the page shows:\n{shown}"
    return ""

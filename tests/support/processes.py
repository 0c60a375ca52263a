"""A place to run commands in, what came of them, and whether a process is still there."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from custody.model.request import Command, CommandLine
from custody.sandbox.environment import base_environment, make_caches, stage_environment
from custody.supervise.descendants import children
from custody.supervise.supervisor import (
    Launch,
    Limits,
    Listener,
    ProcessResult,
    Supervisor,
)


def shell_line(text: str) -> CommandLine:
    """Return the line that hands ``text`` to a shell, for what only a shell can do."""
    return CommandLine(text=text, commands=(Command(argv=("sh", "-c", text)),))


ONE_MINUTE = Limits(60)


class Ran(NamedTuple):
    """A result, and what its streams kept."""

    result: ProcessResult
    stdout: bytes
    stderr: bytes


class Bench:
    """Runs command lines in a workspace of its own."""

    def __init__(self, supervisor: Supervisor, home: Path) -> None:
        self.supervisor = supervisor
        self.home = home
        self.workspace = home / "workspace"
        self.workspace.mkdir(parents=True)
        self.environment = stage_environment(
            base_environment(os.environ),
            run_dir=str(home),
            node="build",
            stage_dir=str(home / "nodes" / "build" / "1.1"),
            cache_dir=str(home / "cache"),
        )
        make_caches(str(home / "cache"))

    def run(self, *commands: Command, limits: Limits = ONE_MINUTE) -> Ran:
        """Run a chain."""
        return self.run_line(CommandLine(text="…", commands=commands), limits)

    def shell(self, text: str, limits: Limits = ONE_MINUTE) -> Ran:
        """Run a text that needs a shell."""
        return self.run_line(shell_line(text), limits)

    def run_line(
        self,
        line: CommandLine,
        limits: Limits,
        *,
        stdin: str = "",
        listener: Listener | None = None,
    ) -> Ran:
        """Run a line with its streams in files."""
        place = Launch(str(self.workspace), self.environment)
        out, err = self.home / "stdout", self.home / "stderr"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            result = self.supervisor.run(
                line,
                place,
                limits,
                stdout=stdout.fileno(),
                stderr=stderr.fileno(),
                stdin=stdin,
                listener=listener,
            )
        return Ran(result, out.read_bytes(), err.read_bytes())


def descendants(process: int) -> list[int]:
    """Return everything that a process has started, and what that has started."""
    return [one for child in children(process) for one in (child, *descendants(child))]


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in {"Z", "X"}


@contextmanager
def later(seconds: float, what: Callable[[], object]) -> Iterator[None]:
    """Do something after a while, beside what is done meanwhile."""
    timer = threading.Timer(seconds, what)
    timer.start()
    yield
    timer.join()


def stop_all(process: int) -> list[int]:
    """Stop a process and everything below it, from the top down; return all of them."""
    found = [process]
    for each in found:
        os.kill(each, signal.SIGSTOP)
        found += children(each)
    return found


LOSES_ITS_SERVER = "echo $PPID > server.new; mv server.new server; sleep 600"
"""What a shell does until somebody has killed its parent, see `server_killed`."""


@contextmanager
def server_killed(workspace: str) -> Iterator[None]:
    """Kill the server of a program that does `LOSES_ITS_SERVER` there.

    From outside, since no program can where Landlock keeps its signals from others.
    """
    named = Path(workspace) / "server"
    given_up = threading.Event()

    def kill() -> None:
        while not named.exists():
            if given_up.wait(0.005):
                return
        os.kill(int(named.read_text()), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        given_up.set()
        killer.join()


def wait_until_gone(pids: list[int]) -> None:
    """Wait for processes to end."""
    deadline = time.monotonic() + 20
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "it still runs"
        time.sleep(0.005)

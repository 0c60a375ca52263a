"""What there is to reach for from inside a sandbox: files, sockets, processes, memory, queues."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from custody.sandbox import kernel
from support.escapes import ATTEMPTS, DRIVER, MORE_NUMBERS, ROOT_ATTEMPTS
from support.sandboxes import Site

ALL = ATTEMPTS | ROOT_ATTEMPTS if os.geteuid() == 0 else ATTEMPTS

Run = Callable[[Sequence[str], str], str]
"""Runs a program in the workspace, with a file as its input; returns what it printed."""

_libc = ctypes.CDLL(None, use_errno=True)
_REMOVE = 0


class World:
    """A machine around a workspace, and a driver in the workspace that tries every way out."""

    def __init__(self, site: Site, folder: Path, stack: ExitStack) -> None:
        self.site = site
        self.outside = folder / "outside"
        self.outside.mkdir()
        self._stack = stack
        (self.outside / "secret.txt").write_text("secret")
        (self.outside / "input.txt").write_text("input")
        (self.outside / "program").write_text("#!/bin/sh\n")
        (self.outside / "program").chmod(0o755)
        self.door = os.open(self.outside, os.O_RDONLY)
        stack.callback(os.close, self.door)
        self.aims: dict[str, Any] = {
            "secret": f"{self.outside}/secret.txt",
            "outside": str(self.outside),
            "victim": f"{self.outside}/victim.txt",
            "home": str(site.home),
            "beside": self._beside_path(folder),
            "shown": self._shown(folder),
            "arguments": Path("/proc/self/cmdline").read_text(),
            "run": str(site.run_folder),
            "process": self._sleeper(folder),
            "marker": f"MARK={folder}",
            "abstract": f"custody-test-{os.getpid()}",
            **self._sockets(),
            "memory": self._memory(),
            "shared": self._shared_file(),
            "queue": self._queue(),
            "numbers": kernel.NUMBERS[kernel.MACHINE] | MORE_NUMBERS[kernel.MACHINE],
            "attempts": ALL,
        }

    def attempt(self, run: Run) -> dict[str, str]:
        """Make every attempt; return what became of each."""
        self._tidy()
        workspace = self.site.workspace
        (workspace / "escape.py").write_text(DRIVER)
        (workspace / "escape.json").write_text(json.dumps(self.aims))
        for name in ("victim.txt", "movable"):
            (self.outside / name).write_text("victim")
        told = run([sys.executable, "escape.py"], f"{self.outside}/input.txt")
        found: dict[str, str] = json.loads(told)
        return found

    def unconfined(self, argv: Sequence[str], stdin: str, *before: str) -> str:
        """Run a program with nothing between it and the machine but what stands ``before``."""
        os.set_inheritable(self.door, True)  # noqa: FBT003
        with open(stdin, "rb") as source:
            done = subprocess.run(
                [*before, *argv],
                cwd=self.site.workspace,
                stdin=source,
                pass_fds=[self.door],
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
        os.set_inheritable(self.door, False)  # noqa: FBT003
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _tidy(self) -> None:
        for left in self.site.workspace.iterdir():
            if left.name not in {"holdout", "kept.txt"}:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        for name in ("new", "mine", "../tools/new"):
            (self.outside / name).unlink(missing_ok=True)

    def _beside_path(self, folder: Path) -> str:
        """Put a folder on PATH, beside which lies something that is no program."""
        programs = folder / "project" / "bin"
        programs.mkdir(parents=True)
        (programs.parent / "notes.txt").write_text("private")
        self.site.environment["PATH"] += f":{programs}"
        return f"{programs.parent}/notes.txt"

    def _shown(self, folder: Path) -> str:
        """Put a folder on PATH that belongs to whoever runs the tests."""
        shown = folder / "tools"
        shown.mkdir(mode=0o755)
        self.site.environment["PATH"] += f":{shown}"
        return str(shown)

    def _sleeper(self, folder: Path) -> int:
        sleeper = self._stack.enter_context(
            subprocess.Popen(
                ["sleep", "1000"],
                stdin=subprocess.DEVNULL,
                cwd=self.outside,
                start_new_session=True,
                env={"MARK": str(folder), "PATH": os.environ["PATH"]},
            )
        )
        self._stack.callback(sleeper.kill)
        return sleeper.pid

    def _sockets(self) -> dict[str, Any]:
        stream, datagram = socket.SOCK_STREAM, socket.SOCK_DGRAM
        self._listen(socket.AF_UNIX, stream, f"\0custody-test-{os.getpid()}")
        return {
            "tcp": self._listen(socket.AF_INET, stream, ("127.0.0.1", 0))[1],
            "tcp6": self._listen(socket.AF_INET6, stream, ("::1", 0))[1],
            "udp": self._listen(socket.AF_INET, datagram, ("127.0.0.1", 0))[1],
            "unix": self._listen(socket.AF_UNIX, stream, f"{self.outside}/stream"),
            "datagram": self._listen(socket.AF_UNIX, datagram, f"{self.outside}/datagram"),
        }

    def _listen(self, family: int, kind: int, address: Any) -> Any:
        """Open a door of the machine; return its address."""
        door = self._stack.enter_context(socket.socket(family, kind))
        door.bind(address)
        if kind == socket.SOCK_STREAM:
            door.listen(16)
        return address if isinstance(address, str) else door.getsockname()

    def _memory(self) -> int:
        memory = _libc.shmget(0, 4096, 0o1600)
        self._stack.callback(_libc.shmctl, memory, _REMOVE, None)
        return int(memory)

    def _shared_file(self) -> str:
        """Leave two files where processes share memory; return the first's name, with a slash."""
        name = f"/custody-test-{os.getpid()}"
        for file in (Path(f"/dev/shm{name}"), Path(f"/dev/shm{name}-spare")):
            file.write_text("shared")
            self._stack.callback(file.unlink, missing_ok=True)
        return name

    def _queue(self) -> str:
        name = f"/custody-test-{os.getpid()}"
        queue = _libc.mq_open(name.encode(), os.O_CREAT | os.O_RDWR, 0o600, None)
        if queue >= 0:
            self._stack.callback(os.close, queue)
            self._stack.callback(_libc.mq_unlink, name.encode())
        return name

"""What there is to reach for from inside a sandbox: files, sockets, processes, memory, queues."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from custody.sandbox import kernel
from support.attacks import MORE_NUMBERS, attempts
from support.attacks.driver import DRIVER
from support.attacks.left import LEFT, OUTLIVING
from support.ipc import Shared
from support.leavings import Leavings
from support.sandboxes import Site

Run = Callable[[Sequence[str], str], str]
"""Runs a program in the workspace, with a file as its input; returns what it printed."""

TOKEN = "token-of-the-caller"


class World:
    """A machine around a workspace, and a driver in the workspace that tries every way out."""

    def __init__(self, site: Site, folder: Path, stack: ExitStack) -> None:
        self.site = site
        self.outside = folder / "outside"
        self.outside.mkdir()
        self._stack = stack
        self._leavings = Leavings(site.home)
        stack.callback(self._leavings.clear)
        (self.outside / "secret.txt").write_text("secret")
        (self.outside / "input.txt").write_text("input")
        (self.outside / "link").symlink_to("secret.txt")
        (self.outside / "program").write_text("#!/bin/sh\n")
        (self.outside / "program").chmod(0o755)
        (site.run_folder / "journal.jsonl").write_text("{}\n")
        self.door = os.open(self.outside, os.O_RDONLY)
        stack.callback(os.close, self.door)
        os.environ["CUSTODY_TEST_TOKEN"] = TOKEN
        stack.callback(os.environ.pop, "CUSTODY_TEST_TOKEN")
        self.aims: dict[str, Any] = {
            "secret": f"{self.outside}/secret.txt",
            "outside": str(self.outside),
            "noted": self._noted(),
            "locked": self._locked(),
            "victim": f"{self.outside}/victim.txt",
            "home": self._home(),
            "beside": self._beside_path(folder),
            "project": self._project(folder),
            "shown": self._shown(folder),
            "arguments": Path("/proc/self/cmdline").read_text(),
            "groups": _groups(),
            "token": TOKEN,
            "run": str(site.run_folder),
            "process": self._sleeper(folder),
            "marker": f"MARK={folder}",
            "abstract": f"custody-test-{os.getpid()}",
            **self._sockets(),
            **Shared(stack).aims,
            **self._leavings.aims,
            "numbers": kernel.NUMBERS[kernel.MACHINE] | MORE_NUMBERS[kernel.MACHINE],
        }

    def attempt(self, run: Run) -> dict[str, str]:
        """Make every attempt; return what became of each."""
        leaving = {name: pair.leave for name, pair in LEFT.items()}
        tried = attempts(root=os.geteuid() == 0)
        found = self._driven(run, tried | leaving | OUTLIVING)
        found |= dict.fromkeys(self._in_vain(found), "ENOENT")
        left = {name: pair.look for name, pair in LEFT.items() if found[name] == "ok"}
        found |= self._driven(run, left)
        self._leavings.clear()
        return found

    def _in_vain(self, found: Mapping[str, str]) -> list[str]:
        """Return what only seemed to succeed: in a place of its own, which nobody else sees."""
        reached: dict[str, Callable[[], bool]] = {
            "left_process": self._leavings.is_alive,
            "udp_send": self._is_heard,
            "write_run": lambda: self._leavings.is_in("/run"),
            "write_var": lambda: self._leavings.is_in("/var"),
        }
        return [name for name, look in reached.items() if found.get(name) == "ok" and not look()]

    def _is_heard(self) -> bool:
        try:
            return bool(self._datagrams.recv(8, socket.MSG_DONTWAIT))
        except BlockingIOError:
            return False

    def _driven(self, run: Run, tried: Mapping[str, str]) -> dict[str, str]:
        self.tidy()
        workspace = self.site.workspace
        (workspace / "escape.py").write_text(DRIVER)
        (workspace / "escape.json").write_text(json.dumps({**self.aims, "attempts": tried}))
        for name in ("victim.txt", "movable"):
            (self.outside / name).write_text("victim")
        told = run([sys.executable, "escape.py"], f"{self.outside}/input.txt")
        found: dict[str, str] = json.loads(told)
        return found

    def unconfined(self, argv: Sequence[str], stdin: str, *before: str) -> str:
        """Run a program with nothing between it and the machine but what stands ``before``."""
        os.set_inheritable(self.door, True)  # noqa: FBT003
        out, err = self.outside / "stdout", self.outside / "stderr"
        with open(stdin, "rb") as source, out.open("wb") as stdout, err.open("wb") as stderr:
            done = subprocess.run(
                [*before, *argv],
                cwd=self.site.workspace,
                env={**os.environ, "HOME": str(self.site.home)},
                stdin=source,
                stdout=stdout,
                stderr=stderr,
                pass_fds=[self.door],
                check=False,
                timeout=120,
            )
        os.set_inheritable(self.door, False)  # noqa: FBT003
        assert done.returncode == 0, err.read_text()
        return out.read_text()

    def tidy(self) -> None:
        """Leave nothing of an attempt that the next one would find."""
        for left in self.site.workspace.iterdir():
            if left.name not in {"holdout", "kept.txt"}:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        for name in ("outside/new", "outside/mine", "tools/new", "home/.profile"):
            (self.outside.parent / name).unlink(missing_ok=True)
        shutil.rmtree(self.outside.parent / "tools" / "__pycache__", ignore_errors=True)

    def _home(self) -> str:
        """Put into the home what people have there, and programs on PATH beside some of it."""
        home = self.site.home
        for name in (".ssh/id_ed25519", ".netrc", ".cargo/credentials.toml", "go/src/private.go"):
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text("private")
        (home / ".gitconfig").write_text("[user]\nemail = private@example.com\n")
        (home / ".local" / "share").mkdir(parents=True)
        (home / ".local" / "share" / "wallet").write_text("private")
        for name in (".cargo", ".local", "go"):
            self._on_path(home / name / "bin")
        return str(home)

    def _beside_path(self, folder: Path) -> str:
        """Put a folder on PATH, beside which lies something that is no program."""
        programs = self._on_path(folder / "project" / "bin")
        (programs.parent / "notes.txt").write_text("private")
        return f"{programs.parent}/notes.txt"

    def _noted(self) -> str:
        """Leave a file with an attribute that somebody may have put a word of his own into."""
        noted = self.outside / "noted.txt"
        noted.touch()
        with suppress(OSError):  # not every file system has attributes
            os.setxattr(noted, "user.note", b"private")
        return str(noted)

    def _locked(self) -> int:
        """Lock a file, as nobody's in particular but that of an open file; return its number."""
        file = self._stack.enter_context((self.outside / "locked").open("w"))
        lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, lock)
        return os.fstat(file.fileno()).st_ino

    def _project(self, folder: Path) -> str:
        """Put the programs of a virtual environment on PATH that lies in a project."""
        project = folder / "python-project"
        self._on_path(project / ".venv" / "bin")
        (project / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
        (project / ".env").write_text("private")
        return str(project)

    def _shown(self, folder: Path) -> str:
        """Put a folder on PATH that belongs to whoever runs the tests."""
        shown = self._on_path(folder / "tools")
        (shown / "tool").write_text("#!/bin/sh\n")
        (shown / "tool").chmod(0o755)
        (shown / "link").symlink_to(self.outside)
        return str(shown)

    def _on_path(self, programs: Path) -> Path:
        programs.mkdir(mode=0o755, parents=True)
        self.site.environment["PATH"] += f":{programs}"
        return programs

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
        self._datagrams = self._stack.enter_context(socket.socket(socket.AF_INET, datagram))
        self._datagrams.bind(("127.0.0.1", 0))
        self._listen(socket.AF_UNIX, stream, f"\0custody-test-{os.getpid()}")
        return {
            "tcp": self._listen(socket.AF_INET, stream, ("127.0.0.1", 0))[1],
            "tcp6": self._listen(socket.AF_INET6, stream, ("::1", 0))[1],
            "udp": self._datagrams.getsockname()[1],
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


def _groups() -> list[str]:
    """Return the control groups of this process that have a name, as their list tells them."""
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    return [line for line in lines if not line.endswith(":/")]

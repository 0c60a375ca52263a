"""A hierarchy of control groups as the kernel shows it, in an ordinary folder.

What the kernel does when a group is made or removed is done here; what it does with processes is
not. The files, their names and what is written to them are the kernel's.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from custody.supervise.limits.cgroup import Hierarchy

FILES = {
    "cgroup.procs": "",
    "cgroup.controllers": "cpu memory pids",
    "cgroup.subtree_control": "",
    "cgroup.kill": "",
    "pids.max": "",
    "pids.events": "max 0\n",
    "memory.max": "",
    "memory.swap.max": "",
    "memory.oom.group": "",
    "memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n",
}


class Kernel:
    """Makes groups of folders, and folders of groups."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = folder / "cgroup"
        self.missing: set[str] = set()
        """Files that this kernel does not have."""
        self._mkdir, self._rmdir = os.mkdir, os.rmdir
        monkeypatch.setattr(os, "mkdir", self._make)
        monkeypatch.setattr(os, "rmdir", self._remove)
        os.mkdir(str(self.root))
        os.mkdir(f"{self.root}/own")

    @property
    def hierarchy(self) -> Hierarchy:
        """Where this process is."""
        return Hierarchy(str(self.root), "/own")

    @property
    def own(self) -> Path:
        """The folder of the group of this process."""
        return self.root / "own"

    def groups(self) -> list[Path]:
        """Return the groups below our own."""
        return sorted(path for path in self.own.iterdir() if path.is_dir())

    def _make(self, path: Any, mode: int = 0o777, **more: Any) -> None:
        self._mkdir(path, mode, **more)
        if str(path).startswith(str(self.root)):
            for name, text in FILES.items():
                if name not in self.missing:
                    Path(path, name).write_text(text)

    def _remove(self, path: Any, **more: Any) -> None:
        if str(path).startswith(str(self.root)):
            if Path(path, "cgroup.procs").read_text().split():
                raise OSError(16, "Device or resource busy")
            for name in FILES.keys() - self.missing:
                Path(path, name).unlink()
        self._rmdir(path, **more)

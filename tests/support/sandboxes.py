"""A run directory with a workspace, caches, a mask and layers, and confinements for it."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec

from custody.model.request import Command, CommandLine
from custody.sandbox.confinement import Confinement, OverlayPaths, stage_confinement
from custody.sandbox.environment import HOME, base_environment
from custody.sandbox.toolchains import toolchains
from custody.supervise.supervisor import Launch, Limits, ProcessResult, Supervisor

LEVELS = ("L1", "L2", "L3")
CONFINED = ("L2", "L3")


class Ran(NamedTuple):
    """A result, and what its streams kept."""

    result: ProcessResult
    stdout: str
    stderr: str


class Site:
    """A run directory, and a way to run things in it."""

    def __init__(self, supervisor: Supervisor, folder: Path) -> None:
        self.supervisor = supervisor
        self.run_folder = folder / "run"
        self.workspace = self.run_folder / "workspace"
        self.cache = self.run_folder / "cache"
        self.environment = base_environment(os.environ)
        self.environment["PATH"] = f"{Path(sys.executable).parent}:{self.environment['PATH']}"
        self.home = folder / "home"
        self.home.mkdir()
        (self.home / "letter.txt").write_text("dear")
        self.environment["HOME"] = str(self.home)
        self._layers = 0
        self._caches = 0
        for path in (self.workspace / "holdout", self.cache, self.run_folder / "mask"):
            path.mkdir(parents=True)
        (self.workspace / "holdout" / "answer.txt").write_text("42")
        (self.workspace / "kept.txt").write_text("kept")
        os.mknod(self.run_folder / "mask" / "holdout", 0o020000, 0)

    @property
    def reaper(self) -> int:
        """The process between the supervisor and its server."""
        return self.supervisor._ready_client()._pid

    def layers(self) -> OverlayPaths:
        """Return layers for one more attempt."""
        self._layers += 1
        here = self.run_folder / "layers" / str(self._layers)
        for name in ("upper", "work"):
            (here / name).mkdir(parents=True)
        lower = (str(self.run_folder / "mask"), str(self.workspace))
        return OverlayPaths(lower=lower, upper=str(here / "upper"), work=str(here / "work"))

    def confinement(
        self, level: str, *, network: str = "none", layered: bool = True
    ) -> Confinement:
        """Return what a stage of this run would get."""
        return stage_confinement(
            level,
            workspace=str(self.workspace),
            cache=str(self.cache),
            layers=self.layers() if level == "L3" and layered else None,
            network=network,
            readable=toolchains(self.environment, runs=str(self.run_folder)),
        )

    def reaching(self, level: str, *servers: str) -> Confinement:
        """Return a confinement that lets a stage reach servers."""
        return msgspec.structs.replace(self.confinement(level), reach=servers)

    def attempt(self, level: str) -> Confinement:
        """Return what one more attempt of a stage would get, caches of its own too."""
        self._caches += 1
        cache = self.run_folder / "caches" / str(self._caches)
        (cache / HOME).mkdir(parents=True)
        return msgspec.structs.replace(self.confinement(level), cache=str(cache))

    def launch(self, confinement: Confinement | None) -> Launch:
        """Return where and with which variables a program is started."""
        home = {"HOME": confinement.home} if confinement and confinement.home else {}
        return Launch(str(self.workspace), self.environment | home, confinement)

    def run(
        self,
        confinement: Confinement | None,
        *argv: str,
        timeout: float = 120,
        stdin: str = "",
        quiet: float = math.inf,
    ) -> Ran:
        """Run one command."""
        one = Command(argv=argv)
        return self.chain(confinement, one, timeout=timeout, stdin=stdin, quiet=quiet)

    def chain(
        self,
        confinement: Confinement | None,
        *commands: Command,
        timeout: float = 120,
        stdin: str = "",
        quiet: float = math.inf,
    ) -> Ran:
        """Run a chain."""
        place = self.launch(confinement)
        out, err = self.run_folder / "stdout", self.run_folder / "stderr"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            result = self.supervisor.run(
                CommandLine(text="…", commands=commands),
                place,
                Limits(timeout, grace=0.5, quiet=quiet),
                stdout=stdout.fileno(),
                stderr=stderr.fileno(),
                stdin=stdin,
            )
        return Ran(result, out.read_text(), err.read_text())

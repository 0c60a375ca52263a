"""Skill jobs run for real: a small skill for tclsh, a design that it restores, what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from custody import skill
from custody.engine.result import RunResult
from custody.model import layout
from custody.model.event import AnyFact
from custody.store.journal import read_lines
from custody.store.root import Root

CONTRACT = """\
schema_version: "1.1"
name: count
version: "1.2.0"
tool: tclsh
description: how many cells a design has
scripts:
  - name: run
    entry: templates/run.tcl
outputs:
  required:
    - path: reports/cells.rpt
error_patterns:
  - "^Error:"
ignore_patterns:
  - "^Error: 0 found"
debug_hints:
  - look at reports/cells.rpt
  - look at the design
metrics:
  cells:
    direction: lower
    min: 1
"""
SCRIPT = """\
set file [open $env(SP_REPORTS_DIR)/cells.rpt w]
puts $file "cells $cells"
close $file
::custody::write_metrics [dict create cells $cells]
"""
DESIGN = """\
puts "restoring [file tail $enc_path]"
source $enc_path.dat/cells.tcl
"""
QUICK = """\
[skills]
launcher = "local"

[skills.tools.tclsh]
ready_s = 20.0
heartbeat_s = 2.0
hung_s = 3.0
"""
"""A user's own configuration in which a tool is given up soon."""
STATES = (
    "INIT", "PREPARE_RUNDIR", "LOCATE_DB", "START_SESSION", "RESTORE_DB", "RUN_SKILL",
    "VALIDATE_OUTPUTS", "SUMMARIZE", "DONE",
)  # fmt: skip
"""The states of a job that passes, in their order."""


class Job(NamedTuple):
    """A job that has ended, and its files."""

    result: RunResult
    interrupted: str = ""

    @property
    def path(self) -> Path:
        """Return its run directory."""
        return Path(self.result.path)

    @property
    def manifest(self) -> Any:
        """Return ``job_manifest.json``."""
        return self.read(layout.JOB_MANIFEST)

    @property
    def verdict(self) -> tuple[str, str]:
        """Return status and error type, which all documents must agree on."""
        found = {
            (document["status"], document["error_type"])
            for document in (self.manifest, self.read(layout.SUMMARY))
        }
        assert len(found) == 1, found
        return found.pop()

    @property
    def timeline(self) -> list[Any]:
        """Return the events of the timeline."""
        text = (self.path / layout.JOB_TIMELINE).read_text()
        return [json.loads(line) for line in text.splitlines()]

    def states(self, event: str) -> list[str]:
        """Return the states that were entered, or left, in their order."""
        return [line["state"] for line in self.timeline if line["event"] == event]

    def read(self, path: str) -> Any:
        """Return a document of JSON."""
        return json.loads((self.path / path).read_text())

    def facts(self) -> list[AnyFact]:
        """Return every fact."""
        with Root.open(str(self.path)) as root:
            return [line.fact() for line in read_lines(root, run_id=self.path.name)]


class JobSite:
    """A folder with a design and a skill, in which jobs are run."""

    def __init__(self, home: Path) -> None:
        self.home = home / "design"
        self.skill = self.home / "subskills" / "count"
        self.config = home / "config"
        (self.skill / "templates").mkdir(parents=True)
        self.contract(CONTRACT)
        self.script(SCRIPT)
        self.design("top")
        self.own(QUICK)

    @property
    def runsdir(self) -> str:
        """Return where its jobs are."""
        return str(self.home / skill.DEFAULT_RUNSDIR)

    def contract(self, text: str) -> None:
        """Let the skill have this contract."""
        (self.skill / "contract.yaml").write_text(text)

    def script(self, text: str, name: str = "run") -> None:
        """Let the skill have this script."""
        (self.skill / "templates" / f"{name}.tcl").write_text(text)

    def own(self, text: str) -> None:
        """Let the user's own configuration be this."""
        (self.config / "custody").mkdir(parents=True, exist_ok=True)
        (self.config / "custody" / "custody.toml").write_text(text)

    def design(self, name: str, text: str = DESIGN, cells: str = "42", folder: str = ".") -> Path:
        """Write a design and its companion."""
        place = self.home / folder
        (place / f"{name}.enc.dat").mkdir(parents=True)
        (place / f"{name}.enc.dat" / "cells.tcl").write_text(f"set cells {cells}\n")
        (place / f"{name}.enc").write_text(text)
        return place / f"{name}.enc"

    def run(self, design: str = "top", **options: Any) -> Job:
        """Run the skill in this process."""
        wanted = {
            name: options.pop(name)
            for name in ("skill", "adapter", "select", "timeout")
            if name in options
        }
        job = skill.WantedJob(design=design, **{"skill": "count", "adapter": "local", **wanted})
        before = os.environ.get("XDG_CONFIG_HOME")
        os.environ["XDG_CONFIG_HOME"] = str(self.config)
        try:
            ended = skill.run(job, cwd=str(self.home), **options)
        finally:
            os.environ.pop("XDG_CONFIG_HOME")
            if before is not None:
                os.environ["XDG_CONFIG_HOME"] = before
        return Job(ended.run, ended.interrupted)

    def start(self, *words: str, **streams: Any) -> subprocess.Popen[str]:
        """Start ``custody`` with these words in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "custody", *words],
            cwd=self.home,
            env={**os.environ, "XDG_CONFIG_HOME": str(self.config)},
            text=True,
            **streams,
        )

    def last(self) -> Path:
        """Return the run directory of the latest job."""
        return max(path for path in Path(self.runsdir).iterdir() if path.name[0] != ".")

"""Runs a stage's command lines: in its workspace, with its variables, streams kept on file."""

from __future__ import annotations

import os
from typing import NamedTuple

from custody.executors import Stage
from custody.executors.environment import base_environment, make_caches, stage_environment
from custody.executors.process import Limits, Place, ProcessResult, Supervisor
from custody.executors.streams import failure_summary
from custody.model.evidence import Evidence
from custody.model.request import CommandLine

CACHE_FOLDER = "cache"


class Ran(NamedTuple):
    """One command line that was run."""

    line: CommandLine
    result: ProcessResult
    stdout: Evidence
    stderr: Evidence

    def headline(self) -> str:
        """Return one line that says what failed."""
        result = self.result
        if result.ended_by or result.failure:
            return f"`{self.line.text}` was ended: {result.failure_reason}"
        return f"`{self.line.text}` ended with exit code {result.exit_code}"

    def note(self) -> str:
        """Return what else is to be told of it."""
        count = self.result.leftovers
        return f"killed what it left running: {count}" if count else ""

    def summary(self) -> str:
        """Return what the next agent is told of a failure."""
        return failure_summary(
            self.headline(), stdout=self.result.stdout.tail, stderr=self.result.stderr.tail
        )


class CommandRunner:
    """Runs command lines for stages; nothing they start outlives a call."""

    def __init__(self) -> None:
        self._supervisor = Supervisor()
        self._base = base_environment(os.environ)

    def run(self, line: CommandLine, stage: Stage, *, name: str, timeout: float) -> Ran:
        """Run one line; its streams become ``<name>.stdout.log`` and ``<name>.stderr.log``."""
        names = f"{name}.stdout.log", f"{name}.stderr.log"
        with stage.folder.open_stream(names[0]) as out, stage.folder.open_stream(names[1]) as err:
            result = self._supervisor.run(
                line,
                self._place(stage),
                Limits(timeout=timeout),
                stdout=out.fileno(),
                stderr=err.fileno(),
            )
        return Ran(line, result, stage.folder.seal(names[0]), stage.folder.seal(names[1]))

    def close(self) -> None:
        """End whatever is still there."""
        self._supervisor.close()

    def _place(self, stage: Stage) -> Place:
        cache = f"{stage.run.path}/{CACHE_FOLDER}"
        make_caches(cache)
        environment = stage_environment(
            self._base,
            run_dir=stage.run.path,
            node=stage.node,
            stage_dir=f"{stage.run.path}/{stage.folder.path}",
            cache_dir=cache,
        )
        return Place(workspace=stage.workspace.path, environment=environment)

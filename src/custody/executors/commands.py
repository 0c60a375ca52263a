"""Runs a stage's command lines: in its workspace, with its variables, streams kept on file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache, cached_property, partial
from typing import NamedTuple

from custody.checks.guards.secrets import Redactor, redactor_for
from custody.executors import Stage
from custody.executors.programs.home import home_variables
from custody.model import layout
from custody.model.confinement import Level
from custody.model.evidence import Evidence
from custody.model.request import AckStatus, CommandLine
from custody.sandbox.confinement import OverlayPaths, stage_confinement
from custody.sandbox.environment import HOME, base_environment, path_beside, stage_environment
from custody.sandbox.stage import Access
from custody.supervise.streams import failure_summary
from custody.supervise.supervisor import Launch, Limits, Listener, ProcessResult, Supervisor


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

    def __init__(self, redactor: Redactor, *, source: str = "", runs: str = "") -> None:
        """Show nothing of the ``source`` and the ``runs`` but what is a toolchain's."""
        self._supervisor = Supervisor(redactor)
        self._base = base_environment(os.environ)
        self._source = source
        self._runs = runs

    def run(
        self,
        line: CommandLine,
        stage: Stage,
        access: Access,
        *,
        name: str,
        timeout: float,
        judges: bool = False,
    ) -> Ran:
        """Run one line; its streams become ``<name>.stdout.log`` and ``<name>.stderr.log``.

        One that ``judges`` the workspace, and all that it starts, find no program in there.
        """
        limits = Limits(timeout=timeout)
        return self.follow(line, stage, access, name=name, limits=limits, judges=judges)

    def follow(
        self,
        line: CommandLine,
        stage: Stage,
        access: Access,
        *,
        name: str,
        limits: Limits,
        variables: Mapping[str, str] | None = None,
        stdin: str = "",
        listener: Listener | None = None,
        judges: bool = False,
    ) -> Ran:
        """Do the same with ``variables`` of its own, an input, and somebody who listens."""
        level = stage.sandbox.enter(access)
        launch = self._launch(line, stage, access, level, variables or {})
        if judges:
            launch = _without_own_programs(launch, stage)
        names = layout.streams(name)
        with stage.folder.open_stream(names[0]) as out, stage.folder.open_stream(names[1]) as err:
            result = self._supervisor.run(
                line,
                launch,
                limits,
                stdout=out.fileno(),
                stderr=err.fileno(),
                stdin=stdin,
                listener=listener,
                redactor=redactor_for({**os.environ, **dict(access.secrets)})
                if access.secrets
                else None,
            )
        stage.sandbox.tell(reached=result.reached, refused=result.refused, held_by=result.held_by)
        return Ran(line, result, stage.folder.seal(names[0]), stage.folder.seal(names[1]))

    def close(self) -> None:
        """End whatever is still there."""
        self._supervisor.close()

    @cached_property
    def _toolchains(self) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
        """Finds the folders behind programs, once in a run: stages cannot change what is there."""
        from custody.sandbox.toolchains import toolchains
        from custody.store.own_settings import own_settings

        named = own_settings(os.environ).toolchains
        return cache(
            partial(toolchains, self._base, source=self._source, runs=self._runs, named=named)
        )

    def _launch(
        self,
        line: CommandLine,
        stage: Stage,
        access: Access,
        level: Level,
        variables: Mapping[str, str],
    ) -> Launch:
        workspace, caches = stage.workspace.path, stage.sandbox.caches
        caches.make(level)
        environment = stage_environment(
            self._base,
            run_dir=stage.run.path,
            node=stage.node,
            stage_dir=f"{stage.run.path}/{stage.folder.path}",
            cache_dir=caches.path,
        )
        from custody.sandbox.rootfs import in_sight

        layers = stage.sandbox.layers
        confinement = stage_confinement(
            level,
            workspace=workspace,
            cache=caches.path,
            cache_layers=caches.layers,
            layers=layers and OverlayPaths(layers.lower, layers.upper, layers.work),
            place=stage.sandbox.place,
            changeable=access.changeable,
            readable=(*self._toolchains(_programs(line)), *access.readable),
            writable=access.writable,
            given=access.given,
            repository=access.repository,
            network=access.network,
            reach=access.reach,
            limits=access.limits,
        )
        if confinement.home:
            environment["HOME"] = confinement.home
        if level == "L1":
            environment |= home_variables(f"{caches.path}/{HOME}", environment)
        else:
            stage.sandbox.show(partial(in_sight, confinement))
        return Launch(workspace, {**environment, **variables}, confinement)


def _without_own_programs(launch: Launch, stage: Stage) -> Launch:
    """Return a launch whose PATH leads nowhere into the workspace, wherever that is seen."""
    confinement = launch.confinement
    tools = () if confinement is None else confinement.tools_of_source
    folders = (launch.workspace, seen_workspace(stage))
    path = path_beside(launch.environment["PATH"], folders, tools)
    return launch._replace(environment={**launch.environment, "PATH": path})


def status_of(result: ProcessResult) -> AckStatus:
    """Return whether a command line was carried out to its end, whatever its exit code was."""
    if result.ended_by == "timeout":
        return "timeout"
    return "failed" if result.ended_by or result.failure or result.survivors else "ok"


def seen_workspace(stage: Stage) -> str:
    """Return where the stage's programs see the workspace."""
    return stage.sandbox.place if stage.sandbox.level == "L3" else stage.workspace.path


def _programs(line: CommandLine) -> tuple[str, ...]:
    return tuple(command.argv[0] for command in line.commands if command.argv)

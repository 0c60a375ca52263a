"""Coding agents: command-line programs that work in a folder as a developer would.

An adapter says what is its program's own (`CodingCli`). The rest is the same for all: a home
that is made for the stage and removed after it, so that no memory, rule, session or server of
the user's reaches a run; variables, limits and servers by its settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from custody.executors import Stage
from custody.executors.agents.program import (
    Program,
    ProgramRunner,
    Reader,
    home_variables,
    limits_of,
    own_home,
)
from custody.executors.agents.reach import PROXIES, Reach, reached
from custody.executors.agents.read_scope import read_scope
from custody.executors.agents.settings import Settings
from custody.executors.commands import seen_cache
from custody.model.request import Ack, AgentRequest


class Surroundings(NamedTuple):
    """Where a program works."""

    cache: str
    """The folder of caches, as it sees it."""
    confined: bool
    """Whether it is confined by us, and needs no sandbox of its own."""


class CodingCli(NamedTuple):
    """What one coding agent has of its own."""

    name: str
    hint: str
    """How the program is installed."""
    keys: tuple[str, ...]
    """Variables of the user's that it gets."""
    arguments: Callable[[Settings, str, Surroundings], tuple[str, ...]]
    """From settings, model and where it works to the command line."""
    variables: Callable[[Settings, str], Mapping[str, str]]
    """From settings and home to what else is set."""
    reader: Callable[[Settings, str], Reader]
    """From settings and model to what reads its output."""
    reach: Reach
    own_sandbox: Callable[[Settings, bool], str] = lambda _settings, _confined: ""
    """From settings, and whether it is confined, to what it is told of a sandbox of its own."""
    changeable: Callable[[Settings], tuple[str, ...]] = Settings.own_folders
    """From settings to the folders of the workspace that it may change."""


class CodingAgent:
    """Asks one of them."""

    def __init__(self, cli: CodingCli, programs: ProgramRunner, model: str = "") -> None:
        self._cli = cli
        self._programs = programs
        self._model = model

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Let the program work on the prompt in the workspace."""
        cli = self._cli
        settings = Settings(cli.name, request.settings, os.environ)
        model = settings.text("model", self._model)
        passed = settings.passed(*cli.keys, *PROXIES)
        confined = stage.sandbox.level != "L1"
        with own_home(stage, cli.name) as home:
            program = Program(
                name=cli.name,
                argv=cli.arguments(settings, model, Surroundings(seen_cache(stage), confined)),
                limits=limits_of(settings, request),
                variables={
                    **passed,
                    **home_variables(home, os.environ),
                    **cli.variables(settings, home),
                },
                workdir=settings.folder("workdir"),
                hint=cli.hint,
                home=home,
                reach=reached(settings, passed, cli.reach),
                sees=read_scope(settings, os.environ),
                changeable=cli.changeable(settings),
                own_sandbox=cli.own_sandbox(settings, confined),
            )
            return self._programs.work(program, request, stage, cli.reader(settings, model))


def added_folders(settings: Settings) -> list[str]:
    """Return the folders of ``add_dirs``, relative to where the program works."""
    workdir = settings.folder("workdir") or "."
    return [os.path.relpath(str(folder), workdir) for folder in settings.folders("add_dirs")]

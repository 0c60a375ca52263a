"""Asking a coding agent: what is the same for all of them.

Each works in a home that is made for the stage and removed after it, so that no memory, rule,
session or server of the user's reaches a run, but for what the user allows (`own_setup`); with
variables, limits and servers by its settings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from custody.executors import Stage
from custody.executors.agents import AgentContext
from custody.executors.programs.coding_cli import CodingCli, Surroundings
from custody.executors.programs.home import home_variables, own_home
from custody.executors.programs.own_setup import (
    REPOSITORY,
    files_of,
    own_agent,
    read_login,
    variables_of,
)
from custody.executors.programs.program import AgentProgram, limits_of
from custody.executors.programs.reach import PROXIES, reached
from custody.executors.programs.read_scope import read_scope
from custody.model.request import Ack, AgentRequest
from custody.sandbox.confinement import GivenFile

REPOSITORY_FOLDER = ".git"


class CodingAgent:
    """Asks one of them."""

    def __init__(self, cli: CodingCli, model: str, context: AgentContext) -> None:
        self._cli = cli
        self._model = model
        self._context = context
        self._programs = context.programs()

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Let the program work on the prompt in the workspace."""
        cli, agent, environment = self._cli, self._context.name, self._context.environment
        settings = self._context.settings(request)
        model = settings.text("model", self._model)
        passed = settings.passed(*cli.keys, *PROXIES)
        level = stage.sandbox.level
        confined = level != "L1"
        own = own_agent(agent, environment)
        login = read_login(cli.login, agent, environment) if own.login else None
        given = (GivenFile(place=login.place, data=login.data),) if login else ()
        around = Surroundings(stage.sandbox.caches.seen(level), confined, own)
        with own_home(stage, agent, given) as home, _repository(stage, made=own.git):
            program = AgentProgram(
                name=agent,
                argv=cli.arguments(settings, model, around),
                limits=limits_of(settings, request),
                variables={
                    **passed,
                    **variables_of(own.mcp, environment),
                    **home_variables(home, environment),
                    **cli.variables(settings, home),
                    **cli.own_variables(settings, own),
                },
                workdir=settings.folder("workdir"),
                hint=cli.hint,
                home="" if level == "L3" else home,
                reach=reached(settings, passed, cli.reach),
                sees=read_scope(settings, environment.get(cli.blocked_by, "")),
                changeable=cli.changeable(settings),
                own_sandbox=cli.own_sandbox(settings, confined),
                own=own.words(),
                before=REPOSITORY if own.git else (),
                readable=files_of(own.mcp),
                given=given if level == "L3" else (),
                secrets=tuple(login.secrets().items()) if login else (),
            )
            return self._programs.work(program, request, stage, cli.reader(model))


@contextmanager
def _repository(stage: Stage, *, made: bool) -> Iterator[None]:
    """See to it that nothing of a repository is left where it lies in the workspace itself."""
    try:
        yield
    finally:
        root = stage.workspace.root
        if made and stage.sandbox.level != "L3" and root.exists(REPOSITORY_FOLDER):
            root.remove_tree(REPOSITORY_FOLDER)

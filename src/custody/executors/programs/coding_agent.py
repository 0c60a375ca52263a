"""Asking a coding agent: what is the same for all of them.

Each works in a home that is made for the stage and removed after it, so that no memory, rule,
session or server of the user's reaches a run; with variables, limits and servers by its settings.
"""

from __future__ import annotations

from custody.executors import Stage
from custody.executors.agents import AgentContext
from custody.executors.programs.coding_cli import CodingCli, Surroundings
from custody.executors.programs.home import home_variables, own_home
from custody.executors.programs.program import AgentProgram, limits_of
from custody.executors.programs.reach import PROXIES, reached
from custody.executors.programs.read_scope import read_scope
from custody.model.request import Ack, AgentRequest


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
        around = Surroundings(stage.sandbox.caches.seen(level), confined)
        with own_home(stage, agent) as home:
            program = AgentProgram(
                name=agent,
                argv=cli.arguments(settings, model, around),
                limits=limits_of(settings, request),
                variables={
                    **passed,
                    **home_variables(home, environment),
                    **cli.variables(settings, home),
                },
                workdir=settings.folder("workdir"),
                hint=cli.hint,
                home="" if level == "L3" else home,
                reach=reached(settings, passed, cli.reach),
                sees=read_scope(settings, environment.get(cli.blocked_by, "")),
                changeable=cli.changeable(settings),
                own_sandbox=cli.own_sandbox(settings, confined),
            )
            return self._programs.work(program, request, stage, cli.reader(model))

"""The agent ``local_exec``: a command of this machine, which its settings or its argument name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from custody.executors.agents import Agent, AgentContext, AgentType
from custody.executors.programs.settings import PROGRAM_SETTINGS
from custody.executors.settings import Settings, setting
from custody.model.need import Need


def make(argument: str, context: AgentContext) -> Agent:
    """Return an agent that asks the command of its settings, or of its argument."""
    from custody.executors.programs.command_agent import CommandAgent

    return CommandAgent(argument, context)


def needs(argument: str, settings: Settings, environment: Mapping[str, str]) -> Iterable[Need]:
    """Say which program the command starts."""
    from custody.executors.programs.command_agent import command_needs

    return command_needs({})(argument, settings, environment)


AGENT = AgentType(
    name="local_exec",
    doc="Asks a command of this machine: what it prints is the answer.",
    argument="COMMAND",
    settings=(setting("argv", "string", "The command line."), *PROGRAM_SETTINGS),
    make=make,
    needs=needs,
    starts_programs=True,
)

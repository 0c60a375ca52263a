"""The agent ``local_exec``: a command of this machine, which its settings or its argument name."""

from __future__ import annotations

from custody.executors.agents import Agent, AgentContext, AgentType
from custody.executors.programs.settings import PROGRAM_SETTINGS
from custody.executors.settings import setting


def make(argument: str, context: AgentContext) -> Agent:
    """Return an agent that asks the command of its settings, or of its argument."""
    from custody.executors.programs.command_agent import CommandAgent

    return CommandAgent(argument, context)


AGENT = AgentType(
    name="local_exec",
    doc="Asks a command of this machine: what it prints is the answer.",
    argument="COMMAND",
    settings=(setting("argv", "string", "The command line."), *PROGRAM_SETTINGS),
    make=make,
    starts_programs=True,
)

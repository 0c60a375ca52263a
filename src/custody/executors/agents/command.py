"""The agent ``command``, also called ``api_agent``: any command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from custody.executors.agents import Agent, AgentContext, AgentType
from custody.executors.programs.settings import PROGRAM_SETTINGS
from custody.executors.settings import Settings, setting
from custody.model.need import Need

TEMPLATES = {"plan": "SDDAI_PLAN_CMD", "patch": "SDDAI_PATCH_CMD", "": "SDDAI_AGENT_CMD"}
"""The variable that holds the template for each target; the last serves all."""


def make(argument: str, context: AgentContext) -> Agent:
    """Return an agent that asks the command of its settings, of its argument, or of these."""
    from custody.executors.programs.command_agent import CommandAgent

    return CommandAgent(argument, context, TEMPLATES)


def needs(argument: str, settings: Settings, environment: Mapping[str, str]) -> Iterable[Need]:
    """Say which program the command starts."""
    from custody.executors.programs.command_agent import command_needs

    return command_needs(TEMPLATES)(argument, settings, environment)


AGENT = AgentType(
    name="command",
    aliases=("api_agent",),
    doc="Asks any command: what it prints is the answer.",
    argument="COMMAND",
    settings=(
        setting("argv", "string", "The command line; default: `SDDAI_AGENT_CMD` and its kin."),
        setting(
            "target",
            "string",
            "What is asked for; empty for neither of the two.",
            choices=("plan", "patch", ""),
        ),
        *PROGRAM_SETTINGS,
    ),
    make=make,
    needs=needs,
    starts_programs=True,
)

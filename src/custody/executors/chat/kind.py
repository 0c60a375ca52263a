"""What agents that are chat models have in common, as a type."""

from __future__ import annotations

from custody.executors.agents import Agent, AgentContext, AgentType
from custody.executors.chat.server import ServerLookup
from custody.executors.chat.settings import CHAT_SETTINGS


def chat_type(name: str, doc: str, place: ServerLookup) -> AgentType:
    """Return the type of an agent that asks the server at ``place``, unless a setting names one."""

    def make(model: str, context: AgentContext) -> Agent:
        from custody.executors.chat.agent import ChatAgent

        return ChatAgent(place, model, context)

    return AgentType(
        name=name,
        doc=doc,
        argument="MODEL",
        settings=CHAT_SETTINGS,
        make=make,
        starts_programs=False,
        parallel=True,
    )

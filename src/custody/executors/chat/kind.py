"""What agents that are chat models have in common, as a type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from custody.executors.agents import Agent, AgentContext, AgentType
from custody.executors.chat.server import ServerLookup
from custody.executors.chat.settings import CHAT_SETTINGS
from custody.executors.programs.reach import servers
from custody.executors.settings import Settings
from custody.model.need import Need


def chat_type(name: str, doc: str, place: ServerLookup, *, keyed: str = "") -> AgentType:
    """Return the type of an agent that asks the server at ``place``, unless a setting names one.

    ``keyed`` is the address of a server that is known to want a key.
    """

    def make(model: str, context: AgentContext) -> Agent:
        from custody.executors.chat.agent import ChatAgent

        return ChatAgent(place, model, context)

    def needs(_model: str, settings: Settings, environment: Mapping[str, str]) -> Iterator[Need]:
        """Yield the SDK, the key and the server."""
        yield Need(kind="package", names=("openai",), hint="pip install 'custody-runtime[api]'")
        usual = place(environment)
        named = settings.text("key_env")
        at_openai = not settings.text("base_url") and usual.url == keyed
        if keys := tuple(filter(None, [named or (usual.key_env if at_openai else "")])):
            yield Need(kind="variable", names=keys, hint=f"export {keys[0]}=…")
        url = settings.text("base_url") or usual.url
        if found := servers([url]):
            yield Need(kind="server", names=found, hint=f"{name}.base_url names another")

    return AgentType(
        name=name,
        doc=doc,
        argument="MODEL",
        settings=CHAT_SETTINGS,
        make=make,
        needs=needs,
        starts_programs=False,
        parallel=True,
    )

"""Agents that are chat models share a type."""

from __future__ import annotations

import pytest

from custody.executors.agents import AgentContext
from custody.executors.chat.agent import ChatAgent
from custody.executors.chat.kind import chat_type
from custody.executors.chat.settings import CHAT_SETTINGS
from custody.executors.registry import agent_type


def test_it_starts_nothing_and_may_be_asked_side_by_side() -> None:
    kind = chat_type("mine", "Asks.", lambda _environment: None)  # type: ignore[arg-type,return-value]
    assert (kind.name, kind.spelling, kind.starts_programs, kind.parallel) == (
        "mine",
        "mine:MODEL",
        False,
        True,
    )
    assert kind.settings == CHAT_SETTINGS
    context = AgentContext(
        name="mine",
        runner=lambda: pytest.fail("a program is started"),
        environment={},
        sessions=lambda: pytest.fail("a session is opened"),
    )
    assert isinstance(kind.make("model", context), ChatAgent)


@pytest.mark.parametrize("name", ["api", "ollama_agent"])
def test_the_packaged_ones_are_of_it(name: str) -> None:
    kind = agent_type(name)
    assert kind is not None
    assert kind.settings == CHAT_SETTINGS

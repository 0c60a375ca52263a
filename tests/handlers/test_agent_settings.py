"""Which attributes of a node reach its agent."""

from __future__ import annotations

import pytest

from custody.handlers import catalog
from custody.handlers.agent_settings import settings_of
from custody.model.journal_version import CURRENT
from custody.pipeline.read import read_pipeline

NODE = """digraph p {{ start [shape=Mdiamond] done [shape=Msquare]
node [{inherited}]
a [prompt="hi", {own}]
start -> a -> done }}"""


def settings(own: str, agent: str, inherited: str = "color=red") -> dict[str, str]:
    source = NODE.format(own=own, inherited=inherited)
    pipeline, _ = read_pipeline(source.encode(), catalog(), begun_in=CURRENT)
    assert pipeline is not None
    return settings_of(pipeline.nodes["a"], agent)


@pytest.mark.parametrize("agent", ["codex", "stub", "somebody:else"])
def test_those_of_packaged_agents_reach_every_agent(agent: str) -> None:
    own = 'codex.model=m, test.notes=n, outbox.max_files=3, timeout=5s, label=x, "foo.bar"=1'
    assert settings(own, agent) == {
        "codex.model": "m", "test.notes": "n", "outbox.max_files": "3", "timeout": "5s",
    }  # fmt: skip


def test_those_of_another_agent_reach_it_alone_installed_or_not() -> None:
    own = "mine.greeting=hello, yours.greeting=ahoy"
    assert settings(own, "mine:argument") == {"mine.greeting": "hello"}
    assert settings(own, "stub") == {}


def test_an_agent_without_settings_gets_none() -> None:
    assert settings("stub.x=1, fake.x=1", "stub") == {}


def test_those_of_a_node_type_are_not_an_agents() -> None:
    inherited = 'verification.workdir="src", codex.model=m'
    assert settings("label=x", "codex", inherited) == {"codex.model": "m"}

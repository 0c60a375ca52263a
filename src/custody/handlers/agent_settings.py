"""The settings of agents that a node may give, and how they reach the agent."""

from __future__ import annotations

from functools import cache

from custody.model.graph import AttributeRule, Families, Node


def _rules(word: str) -> tuple[AttributeRule, ...]:
    from custody.executors.registry import rules_of

    return rules_of(word)


@cache
def _names() -> tuple[str, ...]:
    from custody.executors.registry import packaged_types

    return tuple(rule.name for kind in packaged_types() for rule in kind.rules())


SETTINGS = Families(rules=_rules, names=_names)
"""Each agent declares its own; nodes write them with its prefix and a dot."""


def settings_of(node: Node, agent: str) -> dict[str, str]:
    """Return the attributes that are meant for agents, and the node's own time limit.

    Those are the attributes of every packaged agent, and of the one that is asked: what is asked
    for is the same wherever a run is replayed, whether or not its agent is installed there.
    """
    asked = agent.partition(":")[0]
    return {
        name: str(attribute.value)
        for name, attribute in node.attributes.items()
        if name == "timeout" or _is_setting(name, asked)
    }


def _is_setting(attribute: str, asked: str) -> bool:
    word, dot, _ = attribute.partition(".")
    if not dot:
        return False
    from custody.executors.registry import packaged_prefix

    packaged = packaged_prefix(word)
    return word == asked if packaged is None else bool(packaged.settings)

"""What a run and each of its nodes may spend: money, tokens and active time. Pure.

    max_cost      US dollars, as the agents tell them
    max_tokens    of input and output together
    max_seconds   active time: the sum of the acks' seconds, not a difference of clocks

Each may stand on the graph, for the whole run, and on a node, for all of its visits together. On
the graph of a pipeline that an `each` node runs it is meant for one item.
What was spent is a fold of the facts, so neither a crash nor a resume gives any of it back.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from custody.engine.frame import Frame
from custody.model.graph import Attribute, Node
from custody.model.request import AnyRequest, Spent
from custody.model.state import State
from custody.pipeline.values import number
from custody.pipeline.vocabulary import BUDGETS

SHORTEST = 0.001
"""Seconds that a request gets at least."""


# BEHAVIOR_ID: B004
def exceeded(frame: Frame, node: Node, state: State) -> str:
    """Return why no stage may begin any more; empty while there is something left."""
    if not (frame.bounded or BUDGETS & node.attributes.keys()):
        return ""
    for whose, attributes, spent in _accounts(frame, node, state):
        for name, used in _used(spent).items():
            limit = _limit(attributes, name)
            if used > limit:
                return f"budget exceeded: {name} of {whose}: {used:.10g} of {limit:.10g}"
    return ""


def bounded(request: AnyRequest, frame: Frame, node: Node, state: State) -> AnyRequest:
    """Return the request with no more time than is left."""
    if not (frame.bounded or "max_seconds" in node.attributes):
        return request
    left = min(
        _limit(attributes, "max_seconds") - spent.seconds
        for _, attributes, spent in _accounts(frame, node, state)
    )
    if left >= request.timeout:
        return request
    return replace(request, timeout=max(SHORTEST, round(left, 6)))


def _accounts(
    frame: Frame, node: Node, state: State
) -> Iterator[tuple[str, Mapping[str, Attribute], Spent]]:
    for each in frame.outwards():
        yield each.name, each.pipeline.attributes, each.scope.spent
    yield node.id, node.attributes, state.usage.get(node.id, Spent())


def _used(spent: Spent) -> dict[str, float]:
    return {
        "max_cost": spent.cost_usd,
        "max_tokens": spent.tokens,
        "max_seconds": spent.seconds,
    }


def _limit(attributes: Mapping[str, Attribute], name: str) -> float:
    attribute = attributes.get(name)
    return math.inf if attribute is None else number(attribute.value)

"""What a run of a pipeline would do, in which order, and why.

The order is the one that a run follows when it never goes back: a node comes after every node
that leads to it, except by an edge that closes a loop. Which way a run really takes depends on
outcomes; `PlannedNode.routes` says how that is decided.
"""

from __future__ import annotations

from collections.abc import Iterator

from custody.model.graph import Duration, Edge, Node, Pipeline
from custody.model.outcome import OUTCOMES
from custody.model.record import Record
from custody.pipeline.condition import parse_condition


class PlannedRoute(Record, frozen=True):
    """One way out of a node."""

    target: str
    condition: str
    """Empty for an edge that is taken when no condition holds."""
    weight: int
    goes_back: bool
    """Whether it closes a loop."""

    def __str__(self) -> str:
        when = f"if {self.condition}" if self.condition else "otherwise"
        weight = f", weight {self.weight}" if self.weight else ""
        back = ", going back" if self.goes_back else ""
        return f"{self.target} {when}{weight}{back}"


class PlannedNode(Record, frozen=True):
    """One stage as it would run."""

    id: str
    type: str
    label: str
    reached_from: tuple[str, ...]
    """The nodes that lead here, in order of their ids; none for the start."""
    routes: tuple[PlannedRoute, ...]
    """In the order in which they are preferred: conditions first, then weight, then target."""
    stuck_on: tuple[str, ...]
    """Outcomes after which no way leads on whatever the context, so that the run would fail."""
    attempts: int
    max_visits: int | None
    """None where the engine's default holds."""
    timeout: Duration | None
    """None where the handler's default holds."""
    may_write: tuple[str, ...] | None
    """``allowed_write_paths``; None where everything in the workspace may be changed."""


def explain(pipeline: Pipeline) -> list[PlannedNode]:
    """Return every stage in the order of a run that never goes back."""
    order = _order(pipeline)
    rank = {name: index for index, name in enumerate(order)}
    leading: dict[str, set[str]] = {name: set() for name in order}
    for edge in pipeline.edges:
        leading[edge.target].add(edge.source)
    return [
        _planned(pipeline.nodes[name], pipeline.outgoing[name], sorted(leading[name]), rank)
        for name in order
    ]


def preferred(edges: tuple[Edge, ...]) -> list[Edge]:
    """Return edges in the order in which a run prefers them, given that their conditions hold."""
    return sorted(edges, key=lambda edge: (not edge.condition, -edge.weight, edge.target))


def _planned(
    node: Node, edges: tuple[Edge, ...], leading: list[str], rank: dict[str, int]
) -> PlannedNode:
    routes = tuple(
        PlannedRoute(
            target=edge.target,
            condition=edge.condition,
            weight=edge.weight,
            goes_back=rank[edge.target] <= rank[edge.source],
        )
        for edge in preferred(edges)
    )
    written = node.get("max_visits")
    return PlannedNode(
        id=node.id,
        type=node.type,
        label=node.text("label"),
        reached_from=tuple(leading),
        routes=routes,
        stuck_on=() if node.type == "exit" else _stuck_on(edges),
        attempts=node.integer("max_retries", 0) + 1,
        max_visits=None if written is None else node.integer("max_visits", 1),
        timeout=None if node.get("timeout") is None else _timeout(node),
        may_write=_may_write(node),
    )


def _timeout(node: Node) -> Duration:
    return Duration(seconds=node.seconds("timeout", 0))


def _may_write(node: Node) -> tuple[str, ...] | None:
    return None if node.get("allowed_write_paths") is None else node.items("allowed_write_paths")


def _stuck_on(edges: tuple[Edge, ...]) -> tuple[str, ...]:
    if any(not edge.condition for edge in edges):
        return ()
    ways = [parse_condition(edge.condition) for edge in edges]
    # Attempts turn `retry` into another outcome before a way is looked for.
    final = [outcome for outcome in OUTCOMES if outcome != "retry"]
    return tuple(o for o in final if not any(way.may_hold(o) for way in ways))


def _order(pipeline: Pipeline) -> list[str]:
    """Return the ids in reverse order of leaving them, on a walk by preferred edges."""
    left: list[str] = []
    seen = {pipeline.start.id}
    ahead = [(pipeline.start.id, _walked(pipeline, pipeline.start.id))]
    while ahead:
        name, targets = ahead[-1]
        target = next((target for target in targets if target not in seen), None)
        if target is None:
            left.append(name)
            ahead.pop()
        else:
            seen.add(target)
            ahead.append((target, _walked(pipeline, target)))
    return left[::-1]


def _walked(pipeline: Pipeline, name: str) -> Iterator[str]:
    """Yield the targets, the preferred one last: what is left last comes first."""
    return (edge.target for edge in reversed(preferred(pipeline.outgoing[name])))

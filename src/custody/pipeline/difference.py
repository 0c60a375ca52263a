"""What changed between two pipelines, node by node.

Looks do not count: labels, colours, shapes, comments, the order of statements, whether an
attribute is a node's own or inherited, and whether its value stands in quotes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec.structs import replace

from custody.model.graph import Attribute, Edge, Node, Pipeline
from custody.model.record import Record
from custody.pipeline.messages import shown
from custody.pipeline.subpipeline import located
from custody.pipeline.template import TEMPLATES, names_in
from custody.pipeline.values import written
from custody.pipeline.vocabulary import COSMETICS

_LOOKS = COSMETICS | {"label", "shape"}
_LONG = 40

Values = dict[str, str]


class AttributeDifference(Record, frozen=True):
    """One attribute that is not what it was."""

    name: str
    before: str | None
    """As written, without quotes; None where it was not there."""
    after: str | None

    def __str__(self) -> str:
        if self.before is None or self.after is None:
            return f"{self.name} {'added' if self.before is None else 'removed'}"
        if max(len(self.before), len(self.after)) > _LONG:
            return f"{self.name} changed"
        return f"{self.name} {shown(self.before)} -> {shown(self.after)}"


class NodeDifference(Record, frozen=True):
    """One node that is not what it was."""

    node: str
    """Empty for the graph itself."""
    change: Literal["added", "removed", "changed"]
    attributes: tuple[AttributeDifference, ...] = ()
    edges_added: tuple[str, ...] = ()
    edges_removed: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [str(attribute) for attribute in self.attributes]
        parts += [f"edge to {edge} added" for edge in self.edges_added]
        parts += [f"edge to {edge} removed" for edge in self.edges_removed]
        what = "; ".join(parts) if self.change == "changed" else self.change
        return f"{self.node or 'the graph'}: {what}"


def changed_nodes(old: Pipeline, new: Pipeline) -> list[NodeDifference]:
    """Return every difference that a run could notice: the graph's first, then by node id."""
    graph = NodeDifference(
        node="",
        change="changed",
        attributes=_differences(_values(old.attributes), _values(new.attributes)),
    )
    nodes = [_node_difference(old, new, name) for name in sorted({*old.nodes, *new.nodes})]
    parts = [
        each for name in sorted({*old.parts} & {*new.parts}) for each in _in_part(old, new, name)
    ]
    return [each for each in (graph, *nodes, *parts) if not _is_empty(each)]


def same_node(old: Pipeline, new: Pipeline, name: str) -> bool:
    """Whether a node does the same in both: its type, its attributes, what its templates need.

    Where it leads to is not asked.
    """
    was, now = located(old, name), located(new, name)
    if was is None or now is None or _content(was[1]) != _content(now[1]):
        return False
    names = {each for key in TEMPLATES for each in names_in(now[1].text(key))}
    pairs = ((old, new), (was[0], now[0]))
    return all(_value_of(a, each) == _value_of(b, each) for each in names for a, b in pairs)


def _in_part(old: Pipeline, new: Pipeline, name: str) -> list[NodeDifference]:
    """Return the differences of what an `each` node runs, for all of its items."""
    return [
        replace(each, node=f"{name}.*.{each.node or '(graph)'}")
        for each in changed_nodes(old.parts[name], new.parts[name])
    ]


def _value_of(pipeline: Pipeline, name: str) -> str | None:
    return pipeline.goal if name == "goal" else pipeline.variables.get(name)


def _is_empty(each: NodeDifference) -> bool:
    return each.change == "changed" and not (
        each.attributes or each.edges_added or each.edges_removed
    )


def _node_difference(old: Pipeline, new: Pipeline, name: str) -> NodeDifference:
    before, after = old.nodes.get(name), new.nodes.get(name)
    if before is None or after is None:
        return NodeDifference(node=name, change="added" if before is None else "removed")
    leaving, leaving_now = _ways(old.outgoing[name]), _ways(new.outgoing[name])
    return NodeDifference(
        node=name,
        change="changed",
        attributes=_differences(_content(before), _content(after)),
        edges_added=tuple(sorted((leaving_now - leaving).elements())),
        edges_removed=tuple(sorted((leaving - leaving_now).elements())),
    )


def _content(node: Node) -> Values:
    return {**_values(node.attributes), "type": node.type}


def _values(attributes: Mapping[str, Attribute]) -> Values:
    return {name: written(each.value) for name, each in attributes.items() if name not in _LOOKS}


def _differences(before: Values, after: Values) -> tuple[AttributeDifference, ...]:
    return tuple(
        AttributeDifference(name=name, before=before.get(name), after=after.get(name))
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    )


def _ways(edges: Iterable[Edge]) -> Counter[str]:
    return Counter(
        edge.target
        + (f" if {edge.condition}" if edge.condition else "")
        + (f", weight {edge.weight}" if edge.weight else "")
        for edge in edges
    )

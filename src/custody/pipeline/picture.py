"""A pipeline as a picture: text for a terminal, DOT for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from custody.model.graph import Attribute, AttributeValue, Duration, Edge, Node, Pipeline
from custody.pipeline.parser import KEYWORDS
from custody.pipeline.plan import PlannedNode, explain
from custody.pipeline.values import written
from custody.pipeline.vocabulary import DEFAULT_SHAPE

_SHAPES = {"start": "Mdiamond", "exit": "Msquare", "tool": "parallelogram"}
_LABEL_WIDTH = 60


def to_text(pipeline: Pipeline) -> str:
    """Return the nodes layer by layer, each with its ways out in the order of preference.

    A layer is one further from the start than every layer that leads to it; edges that go back
    are marked.
    """
    plan = explain(pipeline)
    layers = _layers(plan)
    width = max(len(node.id) for node in plan)
    kinds = max(len(node.type) for node in plan)
    lines = [_title(pipeline), ""]
    for node in sorted(plan, key=lambda node: layers[node.id]):
        row = f"{layers[node.id]:>3}  {node.id:<{width}}  {node.type:<{kinds}}"
        lines.append(f"{row}  {_one_line(node.label)}".rstrip())
        lines += [f"       -> {line}" for line in _ways(node, width)]
    return "\n".join(lines) + "\n"


def to_dot(pipeline: Pipeline) -> str:
    """Return the pipeline in one form of many: defaults applied, everything quoted, sorted.

    It reads as the same pipeline. Durations are quoted, shapes that show the type and labels
    that show the condition are added, because Graphviz needs them.
    """
    lines = [f"digraph {_quoted(pipeline.name)} {{"]
    lines += [f"  {text};" for text in _attributes(pipeline.attributes, {})]
    lines += [f"  {_node(node)};" for node in pipeline.nodes.values()]
    lines += [f"  {_edge(edge)};" for edge in pipeline.edges]
    return "\n".join([*lines, "}"]) + "\n"


def _title(pipeline: Pipeline) -> str:
    name = pipeline.name or "pipeline"
    goal = _one_line(pipeline.goal)
    return f"{_one_line(name)}: {goal}" if goal else _one_line(name)


def _layers(plan: list[PlannedNode]) -> dict[str, int]:
    layers: dict[str, int] = {}
    for node in plan:
        here = layers.setdefault(node.id, 1)
        for route in node.routes:
            if not route.goes_back:
                layers[route.target] = max(here + 1, layers.get(route.target, 1))
    return layers


def _ways(node: PlannedNode, width: int) -> Iterator[str]:
    conditional = any(route.condition for route in node.routes)
    for route in node.routes:
        notes = []
        if route.condition:
            notes.append(f"if {_one_line(route.condition)}")
        elif conditional:
            notes.append("otherwise")
        if route.weight:
            notes.append(f"weight {route.weight}")
        if route.goes_back:
            notes.append("goes back")
        yield f"{route.target:<{width}}  {', '.join(notes)}".rstrip()


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    cut = line if len(line) <= _LABEL_WIDTH else f"{line[: _LABEL_WIDTH - 1]}…"
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in cut)


def _node(node: Node) -> str:
    more: dict[str, AttributeValue] = {"type": node.type}
    if "shape" not in node.attributes:
        more["shape"] = _SHAPES.get(node.type, DEFAULT_SHAPE)
    return f"{_quoted(node.id)} [{', '.join(_attributes(node.attributes, more))}]"


def _edge(edge: Edge) -> str:
    more: dict[str, AttributeValue] = {}
    if edge.condition and "label" not in edge.attributes:
        more["label"] = edge.condition
    attributes = ", ".join(_attributes(edge.attributes, more))
    ends = f"{_quoted(edge.source)} -> {_quoted(edge.target)}"
    return f"{ends} [{attributes}]" if attributes else ends


def _attributes(
    attributes: Mapping[str, Attribute], more: Mapping[str, AttributeValue]
) -> list[str]:
    values = {**{name: attribute.value for name, attribute in attributes.items()}, **more}
    return [f"{_name(name)}={_value(values[name])}" for name in sorted(values)]


def _name(name: str) -> str:
    return name if name.isidentifier() and name.lower() not in KEYWORDS else _quoted(name)


def _value(value: AttributeValue) -> str:
    return _quoted(str(value)) if isinstance(value, str | Duration) else written(value)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

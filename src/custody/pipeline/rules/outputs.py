"""A rule about what templates and conditions ask of the commands of other nodes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from custody.errors import MalformedDocument
from custody.model.finding import Finding
from custody.model.graph import Attribute, Catalog, Pipeline
from custody.model.output import EXIT_CODE, output_named
from custody.pipeline.condition import parse_condition
from custody.pipeline.messages import Nearest, found, shown
from custody.pipeline.rules.structure import leading_to
from custody.pipeline.template import CONTEXT, FIELD, TEMPLATES, names_in

_WALKS = 200
"""Of how many nodes it is looked up which ones may run before them."""


class _Asked(msgspec.Struct, frozen=True):
    """One thing that is asked of a node, and where."""

    at: str
    """The node that has the template, or that the edge leaves."""
    node: str
    field: str
    attribute: Attribute


def named_outputs(pipeline: Pipeline, catalog: Catalog) -> Iterator[Finding]:
    """Find nodes that are not there, that run no command, or that cannot have run by then."""
    nearest = Nearest()
    before: dict[str, set[str]] = {}
    for asked in (*_in_templates(pipeline), *_in_conditions(pipeline)):
        code = "template" if asked.attribute.name in TEMPLATES else "condition"
        place = asked.attribute.position
        name = f"{asked.node}.{asked.field}"
        node = pipeline.nodes.get(asked.node)
        if node is None:
            what = f"{asked.attribute.name} asks for {shown(name)}, and there is no such node"
            hint = nearest.hint(asked.node, pipeline.nodes)
            if code == "template":
                hint = hint or f"for a variable of that name: var.{name}=…"
            yield found(code, what, place, hint)
        elif node.type not in catalog or not catalog[node.type].leaves_output:
            kinds = ", ".join(kind.name for kind in catalog.values() if kind.leaves_output)
            what = f"{asked.attribute.name} asks for {shown(name)}, but the node runs no command"
            yield found(code, what, place, f"these do: {kinds}")
        elif not _may_have_run(asked, pipeline, before):
            what = f"{shown(asked.node)} can never have run by then, so {shown(name)} is empty"
            yield found(code, what, place, f"no way leads from it to {shown(asked.at)}")


def _may_have_run(asked: _Asked, pipeline: Pipeline, before: dict[str, set[str]]) -> bool:
    """Whether the node can have run when it is asked; on an edge its source always has.

    Every node that asks costs a walk; there are no more than some.
    """
    if asked.at not in before:
        if len(before) >= _WALKS:
            return True
        before[asked.at] = leading_to(asked.at, pipeline)
    on_edge = asked.attribute.name not in TEMPLATES
    return asked.node in before[asked.at] or (on_edge and asked.node == asked.at)


def _in_templates(pipeline: Pipeline) -> Iterator[_Asked]:
    own = (CONTEXT, FIELD) if pipeline.for_items else (CONTEXT,)
    for node in pipeline.nodes.values():
        for template in TEMPLATES:
            attribute = node.attributes.get(template)
            if attribute is None or not isinstance(attribute.value, str):
                continue
            for name in sorted(names_in(attribute.value) - pipeline.variables.keys()):
                named = output_named(name)
                if named is not None and not name.startswith(own):
                    yield _Asked(node.id, *named, attribute)


def _in_conditions(pipeline: Pipeline) -> Iterator[_Asked]:
    for edge in pipeline.edges:
        attribute = edge.attributes.get("condition")
        if attribute is None or EXIT_CODE not in edge.condition:
            continue
        try:
            clauses = parse_condition(edge.condition).clauses
        except MalformedDocument:
            continue  # told by the rule about conditions
        for clause in clauses:
            if clause.node:
                yield _Asked(edge.source, clause.node, EXIT_CODE, attribute)

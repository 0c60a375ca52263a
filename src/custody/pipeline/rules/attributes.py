"""Rules about attributes: their names, the kind and range of their values, what is required."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from custody.errors import PathRefused
from custody.model.finding import Finding, Severity
from custody.model.graph import (
    Attribute,
    AttributeKind,
    AttributeRule,
    Catalog,
    Duration,
    Node,
    Pipeline,
    SourcePosition,
)
from custody.model.limits import size_text
from custody.model.output import output_named
from custody.model.relpath import RelPath
from custody.pipeline import graphviz
from custody.pipeline.messages import Nearest, found, shown
from custody.pipeline.rules.table import Table
from custody.pipeline.template import CONTEXT, FIELD, ITEM_NAMES, NAME, RESERVED
from custody.pipeline.values import EXPECTED, is_kind, number, written
from custody.pipeline.vocabulary import (
    EDGE_ATTRIBUTES,
    GRAPH_ATTRIBUTES,
    RANGES,
    WARN,
    WITHOUT_EFFECT,
)

_BLANKS = 16
"""How far from its value an attribute's name is looked for."""
_GRAPHVIZ = {"a graph": graphviz.GRAPH, "a node": graphviz.NODE, "an edge": graphviz.EDGE}
_NEAREST = 3
"""How many names a hint gives."""


def known_attributes(pipeline: Pipeline, catalog: Catalog) -> Iterator[Finding]:
    """Find attributes that nobody knows, and values of the wrong kind or out of range."""
    judge = _Judge(pipeline, catalog)
    graph = Table("a graph", GRAPH_ATTRIBUTES, looks=graphviz.GRAPH)
    edge = Table("an edge", EDGE_ATTRIBUTES, looks=graphviz.EDGE)
    for attribute in pipeline.attributes.values():
        yield from judge.judge(attribute, graph)
    for shared in {id(edge.attributes): edge.attributes for edge in pipeline.edges}.values():
        for name, attribute in shared.items():
            if type(attribute.value) is not edge.plain.get(name):
                yield from judge.judge(attribute, edge)
    used = _used(pipeline, catalog)
    for node in pipeline.nodes.values():
        if node.type in used:
            yield from judge.judge_node(node, judge.table(node.type))


def required(pipeline: Pipeline, catalog: Catalog) -> Iterator[Finding]:
    """Find nodes that lack what their type cannot do without."""
    needs = {
        name: [rule.name for rule in kind.attributes if rule.required]
        for name, kind in _used(pipeline, catalog).items()
    }
    for node in pipeline.nodes.values():
        for name in needs.get(node.type, ()):
            attribute = node.attributes.get(name)
            value = "" if attribute is None else attribute.value
            if isinstance(value, str) and not value.strip():
                at = node.position if attribute is None else attribute.position
                what = f"node {shown(node.id)} of type {node.type} needs {shown(name)}"
                yield found("attribute", what, at, f"write {name}=… into its list")


def named_nodes(pipeline: Pipeline, catalog: Catalog) -> Iterator[Finding]:
    """Find attributes that name a node which is not there."""
    nearest = Nearest()
    naming = {
        name: [rule.name for rule in kind.attributes if rule.kind == "node"]
        for name, kind in _used(pipeline, catalog).items()
    }
    for node in pipeline.nodes.values():
        for name in naming.get(node.type, ()):
            attribute = node.attributes.get(name)
            if attribute is not None and str(attribute.value) not in pipeline.nodes:
                what = f"there is no node {shown(str(attribute.value))}"
                hint = nearest.hint(str(attribute.value), pipeline.nodes)
                yield found("attribute", what, attribute.position, hint)


def handler_checks(pipeline: Pipeline, catalog: Catalog) -> Iterator[Finding]:
    """Find what the node type itself refuses.

    It is asked only about nodes that have what is required, with values of the right kind.
    """
    used = _used(pipeline, catalog)
    tables = {name: Table.of_type(name, catalog) for name, kind in used.items() if kind.check}
    for node in pipeline.nodes.values():
        check = catalog[node.type].check if node.type in tables else None
        if check is not None and tables[node.type].fits(node):
            yield from check(node)


def _used(pipeline: Pipeline, catalog: Catalog) -> Catalog:
    """Return the types that its nodes have: the others need not even be loaded."""
    names = dict.fromkeys(node.type for node in pipeline.nodes.values())
    return {name: catalog[name] for name in names if name in catalog}


def variables(pipeline: Pipeline, _: Catalog) -> Iterator[Finding]:
    """Find variables whose name cannot stand in a template or is taken."""
    taken = {*RESERVED, *(ITEM_NAMES if pipeline.for_items else ())}
    fields = (FIELD,) if pipeline.for_items else ()
    for name, attribute in pipeline.attributes.items():
        if not name.startswith("var."):
            continue
        short = name.removeprefix("var.")
        if short in taken or short.startswith((CONTEXT, *fields)):
            what = f"{shown(short)} already means something in templates"
            yield found("attribute", what, attribute.position, "choose another name")
        elif (named := output_named(short)) is not None and named[0] in pipeline.nodes:
            what = f"{shown(short)} already means what node {shown(named[0])} leaves"
            yield found("attribute", what, attribute.position, "choose another name")
        elif NAME.fullmatch(short) is None:
            what = f"{shown(short)} cannot stand in a template"
            yield found("attribute", what, attribute.position, "begin it with a letter")


class _Judge:
    """Judges the attributes of one pipeline."""

    def __init__(self, pipeline: Pipeline, catalog: Catalog) -> None:
        self._catalog = catalog
        self._tables: dict[str, Table] = {}
        self._source = pipeline.source
        self._nearest = Nearest()
        said = pipeline.attributes.get("unknown_attributes")
        self._severity: Severity = "warning" if said and said.value == WARN else "error"

    def table(self, name: str) -> Table:
        """Return what nodes of a type know."""
        if name not in self._tables:
            self._tables[name] = Table.of_type(name, self._catalog)
        return self._tables[name]

    def judge_node(self, node: Node, table: Table) -> Iterator[Finding]:
        """Yield what is wrong with a node's attributes.

        An inherited one is meant for every node: it is enough that any type knows it.
        """
        place = (node.position.line, node.position.column)
        for name, attribute in node.attributes.items():
            if type(attribute.value) is table.plain.get(name):
                continue
            known = table
            inherited = (attribute.position.line, attribute.position.column) < place
            if inherited and table.own_rule(name) is None:
                known = self._owner(name) or table
            yield from self.judge(attribute, known)

    def judge(self, attribute: Attribute, table: Table) -> Iterator[Finding]:
        """Yield what is wrong with an attribute, given the names that its owner knows."""
        rule = table.rule(attribute.name)
        if rule is not None:
            yield from _judge_value(attribute, rule)
        elif attribute.name in WITHOUT_EFFECT and table.has_families:
            what = f"{attribute.name} has no effect: {WITHOUT_EFFECT[attribute.name]}"
            at = self._position_of_name(attribute)
            yield found("no_effect", what, at, "leave it out", "warning")
        elif attribute.name not in table.looks:
            what = f"{table.owner} knows no attribute {shown(attribute.name)}"
            at = self._position_of_name(attribute)
            hint = self._hint(attribute.name, table)
            yield found("unknown_attribute", what, at, hint, self._severity)

    def _owner(self, name: str) -> Table | None:
        """Return who knows an attribute; families are asked after everybody's own."""
        tables = [self.table(name) for name in self._catalog]
        own = (table for table in tables if table.own_rule(name) is not None)
        return next(own, None) or next((t for t in tables if t.rule(name) is not None), None)

    def _hint(self, name: str, table: Table) -> str:
        other = self._owner(name)
        if other is not None:
            return f"{other.owner} knows it"
        for where, names in _GRAPHVIZ.items():
            if name in names:
                return f"Graphviz knows it on {where} only"
        known = dict.fromkeys([*table.names(name), *sorted(table.looks)])
        return self._nearest.hint(name, known, most=_NEAREST)

    @cached_property
    def _lines(self) -> list[str]:
        return self._source.decode("utf-8-sig").split("\n")

    def _position_of_name(self, attribute: Attribute) -> SourcePosition:
        """Return where the name stands, or the value if more than blanks part them."""
        at, end = attribute.position, attribute.position.column - 1
        spellings = (attribute.name, f'"{attribute.name}"')
        near = self._lines[at.line - 1][max(0, end - len(spellings[1]) - _BLANKS) : end]
        before = near.rstrip().removesuffix("=").rstrip()
        for name in spellings:
            if before.endswith(name):
                column = end - len(near) + len(before) - len(name) + 1
                return SourcePosition(line=at.line, column=column)
        return at


def _judge_value(attribute: Attribute, rule: AttributeRule) -> Iterator[Finding]:
    name, value = attribute.name, attribute.value
    if not is_kind(value, rule.kind):
        hint = "put it in quotes" if rule.kind in {"string", "list", "node"} else ""
        what = f"{name} must be {EXPECTED[rule.kind]}, not {shown(written(value))}"
        yield found("attribute", what, attribute.position, hint)
    elif name in RANGES:
        low, high = RANGES[name]
        if not low <= number(value) <= high:
            limits = " and ".join(_limit(each, rule.kind) for each in (low, high))
            what = f"{name} must lie between {limits}, not {written(value)}"
            yield found("attribute", what, attribute.position)
    elif rule.choices:
        yield from _judge_choices(attribute, rule)
    elif rule.paths:
        yield from _judge_paths(attribute)


def _judge_choices(attribute: Attribute, rule: AttributeRule) -> Iterator[Finding]:
    text = written(attribute.value)
    words = filter(None, _entries(text)) if rule.kind == "list" else (text,)
    for word in words:
        if word not in rule.choices:
            known = ", ".join(filter(None, rule.choices))
            what = f"{attribute.name} must be one of {known}, not {shown(word)}"
            yield found("attribute", what, attribute.position)


def _judge_paths(attribute: Attribute) -> Iterator[Finding]:
    for entry in _entries(written(attribute.value)):
        try:
            RelPath.parse(entry.rstrip("/"))
        except PathRefused as refused:
            what = f"{attribute.name}: {refused.what}"
            yield found(refused.code, what, attribute.position)


def _entries(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _limit(value: float, kind: AttributeKind) -> str:
    if kind == "size":
        return size_text(int(value))
    return str(Duration(seconds=value)) if kind == "duration" else str(value)

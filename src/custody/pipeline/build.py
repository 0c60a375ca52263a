"""From statements to the model: defaults, types, and names that must be declared.

A default applies to the nodes declared, and the edges written, behind it. A node may be
declared again to add attributes, not to change them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

from custody.model.finding import Finding
from custody.model.graph import Attribute, Catalog, Edge, Node, Pipeline, SourcePosition
from custody.pipeline.messages import Nearest, found, shown
from custody.pipeline.syntax import Attributes, EdgeStatement, NodeStatement, Statement, SyntaxTree
from custody.pipeline.types import Types
from custody.pipeline.values import is_kind
from custody.pipeline.vocabulary import ALIASES, Alias

DEFAULTS_LIMIT = 256
"""Default attributes that a node or an edge may inherit; every one of them costs for each."""

UNDECLARED = ""
"""Type of a node that only edges name. It stands in for the missing declaration, so that one
slip is one finding; a pipeline with such a node never leaves `read_pipeline`."""


def build(
    tree: SyntaxTree, data: bytes, catalog: Catalog, *, aliases: bool = True
) -> tuple[Pipeline, list[Finding]]:
    """Return the pipeline that the statements describe, and what is wrong with them as such.

    Without ``aliases`` the names that other systems have for attributes are left as they are.
    """
    builder = _Builder(catalog, ALIASES if aliases else {})
    for statement in tree.statements:
        builder.add(statement)
    nodes = builder.nodes()
    if tree.complete:
        builder.report_undeclared(nodes)
    for name, position in builder.named.items():
        if name not in nodes:
            nodes[name] = Node(id=name, type=UNDECLARED, attributes={}, position=position)
    pipeline = Pipeline(
        name=tree.name,
        attributes=builder.attributes,
        nodes=nodes,
        edges=tuple(builder.edges),
        source=data,
        sha256=hashlib.sha256(data).hexdigest(),
    )
    return pipeline, builder.findings


class _Declaration(msgspec.Struct, gc=False):
    own: Attributes
    inherited: Attributes
    position: SourcePosition


class _Builder:
    def __init__(self, catalog: Catalog, aliases: Mapping[str, Alias]) -> None:
        self._aliases = aliases
        self.attributes: Attributes = {}
        self.edges: list[Edge] = []
        self.findings: list[Finding] = []
        self.named: dict[str, SourcePosition] = {}
        """Every id that an edge names, and where it does so first."""
        self._nearest = Nearest()
        self._types = Types(catalog, self._nearest)
        self._declared: dict[str, _Declaration] = {}
        self._node_defaults: Attributes = {}
        self._edge_defaults: Attributes = {}

    def add(self, statement: Statement) -> None:
        if isinstance(statement, NodeStatement):
            self._declare(statement)
        elif isinstance(statement, EdgeStatement):
            self._connect(statement)
        elif statement.scope == "node":
            named = self._in_our_names(statement.attributes)
            self._node_defaults = self._defaults(self._node_defaults, named)
        elif statement.scope == "edge":
            self._edge_defaults = self._defaults(self._edge_defaults, statement.attributes)
        else:
            self._merge(self.attributes, statement.attributes, "the graph")

    def nodes(self) -> dict[str, Node]:
        """Return the declared nodes, in the order of their ids in the file."""
        nodes: dict[str, Node] = {}
        for name, declared in self._declared.items():
            own, inherited = declared.own, declared.inherited
            kind = self._types.resolve(own, inherited)
            if not self._types.is_plain(kind, own, inherited):
                self.findings.extend(self._types.judge(kind, own, inherited))
            nodes[name] = Node(
                id=name,
                type=kind,
                attributes={**own, **inherited, **own} if inherited else own,
                position=declared.position,
            )
        return nodes

    def report_undeclared(self, nodes: dict[str, Node]) -> None:
        for name, position in self.named.items():
            if name not in nodes:
                hint = self._nearest.hint(name, nodes) or "declare it by a statement of its own"
                what = f"node {shown(name)} is not declared"
                self.findings.append(found("undeclared", what, position, hint))

    def _declare(self, statement: NodeStatement) -> None:
        declared = self._declared.get(statement.id)
        named = self._in_our_names(statement.attributes)
        if declared is not None:
            self._merge(declared.own, named, f"node {shown(statement.id)}")
        else:
            self._declared[statement.id] = _Declaration(
                dict(named), self._node_defaults, statement.position
            )

    def _in_our_names(self, attributes: Attributes) -> Attributes:
        """Return the attributes of a node, each by the name that it has here."""
        if self._aliases.keys().isdisjoint(attributes):
            return attributes
        named: Attributes = {}
        for name, attribute in attributes.items():
            alias = self._aliases.get(name)
            if alias is None:
                named[name] = attribute
            elif alias.name in attributes:
                what = f"{name} is another name for {alias.name}, which is given too"
                self.findings.append(found("alias", what, attribute.position, "keep one of them"))
            else:
                named[alias.name] = _translated(attribute, alias)
        return named

    def _connect(self, statement: EdgeStatement) -> None:
        attributes = statement.attributes
        if self._edge_defaults:
            attributes = {**self._edge_defaults, **attributes}
        condition = attributes.get("condition")
        weight = attributes.get("weight")
        written = condition.value if condition is not None else ""
        source, at = "", statement.positions[0]
        for target, position in zip(statement.ids, statement.positions, strict=True):
            self.named.setdefault(target, position)
            if source:
                self.edges.append(
                    Edge(
                        source=source,
                        target=target,
                        condition=written if isinstance(written, str) else "",
                        weight=_weight(weight) if weight else 0,
                        attributes=attributes,
                        position=at,
                    )
                )
            source, at = target, position

    def _defaults(self, old: Attributes, more: Attributes) -> Attributes:
        new = {**old, **more}
        if len(new) <= DEFAULTS_LIMIT:
            return new
        at = next(iter(more.values())).position
        hint = "write the attributes where they are needed"
        what = f"more than {DEFAULTS_LIMIT} default attributes"
        self.findings.append(found("attribute", what, at, hint))
        return old

    def _merge(self, into: Attributes, more: Attributes, owner: str) -> None:
        for name, attribute in more.items():
            first = into.setdefault(name, attribute)
            if first.value != attribute.value:
                place = f"{first.position.line}:{first.position.column}"
                what = f"{owner} already has another value for {shown(name)}, at {place}"
                self.findings.append(
                    found("duplicate", what, attribute.position, "keep one of them")
                )


def _translated(attribute: Attribute, alias: Alias) -> Attribute:
    value = attribute.value
    if alias.between and isinstance(value, str):
        value = value.replace(alias.between, "\n")
    return Attribute(name=alias.name, value=value, position=attribute.position)


def _weight(attribute: Attribute) -> int:
    value = attribute.value
    return int(value) if isinstance(value, int | str) and is_kind(value, "integer") else 0

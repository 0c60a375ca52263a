"""A pipeline as data: nodes, edges and their attributes.

Attribute values keep the type they were written with: a quoted string is a `str`, and a bare
``3``, ``0.5``, ``true`` or ``15m`` an `int`, a `float`, a `bool` or a `Duration`.

Nothing here can be part of a cycle, so the garbage collector is told to leave it alone: a large
pipeline is some hundred thousand of these values.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Literal

import msgspec

from custody.model.finding import Finding
from custody.model.record import Record
from custody.patterns import later

_DURATION = later(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)(ms|[smhd])?")
_UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}


class Duration(Record, frozen=True, gc=False):
    """A length of time written with its unit, such as ``90s`` or ``15m``."""

    seconds: float

    @classmethod
    def parse(cls, text: str) -> Duration:
        """Read ``250ms``, ``90s``, ``15m``, ``2h``, ``1d`` or bare seconds; else `ValueError`."""
        match = _DURATION.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no duration")
        number, unit = match.groups()
        if unit == "ms":
            return cls(seconds=float(number) / 1000)
        return cls(seconds=float(number) * _UNITS[unit or "s"])

    def __str__(self) -> str:
        for unit, seconds in _UNITS.items():
            if self.seconds >= seconds and self.seconds % seconds == 0:
                return f"{self.seconds / seconds:.0f}{unit}"
        if self.seconds >= 1:
            return f"{self.seconds!r}s"
        return f"{self.seconds * 1000:.15f}".rstrip("0").rstrip(".") + "ms"


ROLE = "role"
"""The attribute that says what the agent of a node is there."""
AttributeValue = str | int | float | bool | Duration
AttributeKind = Literal["string", "integer", "float", "boolean", "duration", "size", "list", "node"]


class SourcePosition(Record, frozen=True, gc=False):
    """Where something stands in the source, both 1-based."""

    line: int
    column: int


class Attribute(Record, frozen=True, gc=False):
    """One attribute as written."""

    name: str
    value: AttributeValue
    position: SourcePosition
    """Where its value stands."""

    def finding(self, code: str, message: str, hint: str = "") -> Finding:
        """Return a finding about this value."""
        return Finding(
            code=code,
            message=message,
            line=self.position.line,
            column=self.position.column,
            hint=hint,
        )


class Node(Record, frozen=True, gc=False):
    """One stage of the pipeline."""

    id: str
    type: str
    """The handler's name; derived from the shape where no type is written."""
    attributes: Mapping[str, Attribute]
    """The node's own and the inherited ones, own first."""
    position: SourcePosition

    def get(self, name: str) -> AttributeValue | None:
        """Return the attribute's value, or None where it is not written."""
        attribute = self.attributes.get(name)
        return None if attribute is None else attribute.value

    def text(self, name: str, default: str = "") -> str:
        """Return the attribute as text."""
        value = self.get(name)
        return default if value is None else str(value)

    def integer(self, name: str, default: int) -> int:
        """Return the attribute as a whole number; rules have checked that it is one."""
        value = self.get(name)
        return default if value is None else int(value)  # type: ignore[arg-type]

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return the attribute as yes or no."""
        value = self.get(name)
        return default if value is None else value is True or value == "true"

    def seconds(self, name: str, default: float) -> float:
        """Return the attribute as seconds; a bare number means seconds."""
        value = self.get(name)
        if value is None:
            return default
        if isinstance(value, str):
            return Duration.parse(value).seconds
        return value.seconds if isinstance(value, Duration) else float(value)

    def items(self, name: str) -> tuple[str, ...]:
        """Return a comma-separated attribute as its trimmed entries; absent means none."""
        value = self.get(name)
        return () if value is None else tuple(part.strip() for part in str(value).split(","))


def agent_of_role(node: Node, agent: str, roles: Mapping[str, str]) -> str:
    """Return who is asked where a node names no agent: who has its role, else the run's."""
    return roles.get(node.text(ROLE)) or agent


class Edge(Record, frozen=True, gc=False):
    """A way from one node to another."""

    source: str
    target: str
    condition: str
    """As written; empty for an unconditional edge."""
    weight: int
    attributes: Mapping[str, Attribute]
    position: SourcePosition


class Pipeline(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A whole pipeline; immutable, its look-ups computed once."""

    name: str
    attributes: Mapping[str, Attribute]
    nodes: Mapping[str, Node]
    edges: tuple[Edge, ...]
    source: bytes
    """The text as it was read."""
    sha256: str
    """Of ``source``."""
    parts: Mapping[str, Pipeline] = {}
    """The pipelines that its `each` nodes run, by node id."""
    sources: Mapping[str, bytes] = {}
    """The text of every part, however deep, by the name it is kept under; of a whole run's only."""
    for_items: bool = False
    """Whether it is a part, run once for each item of a list."""
    warnings: tuple[str, ...] = ()
    """What is wrong with it and was let through because it says so; of a whole run's only."""

    @cached_property
    def part_digests(self) -> Mapping[str, str]:
        """The sha256 of every part, by the name it is kept under."""
        return {name: hashlib.sha256(source).hexdigest() for name, source in self.sources.items()}

    @cached_property
    def goal(self) -> str:
        """What the run is for, as written on the graph."""
        attribute = self.attributes.get("goal")
        return "" if attribute is None else str(attribute.value)

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """Names that templates may use and ``--set`` may change, with their defaults."""
        return {
            name.removeprefix("var."): str(attribute.value)
            for name, attribute in self.attributes.items()
            if name.startswith("var.")
        }

    @cached_property
    def start(self) -> Node:
        """The only entry."""
        return next(node for node in self.nodes.values() if node.type == "start")

    @cached_property
    def outgoing(self) -> Mapping[str, tuple[Edge, ...]]:
        """The edges that leave each node."""
        leaving: dict[str, list[Edge]] = {name: [] for name in self.nodes}
        for edge in self.edges:
            leaving[edge.source].append(edge)
        return {name: tuple(edges) for name, edges in leaving.items()}


def same_sources(one: Pipeline, other: Pipeline) -> bool:
    """Whether two pipelines were read from the same texts, parts included."""
    return one.sha256 == other.sha256 and one.part_digests == other.part_digests


class AttributeRule(Record, frozen=True):
    """One attribute that a node type understands."""

    name: str
    """A trailing ``*`` stands for any ending, as in ``test.*``."""
    kind: AttributeKind
    doc: str
    required: bool = False
    choices: tuple[str, ...] = ()
    """The only values it may have, of a list each entry; empty where any will do."""
    paths: bool = False
    """Whether its entries are paths of the workspace."""


class Families(msgspec.Struct, frozen=True):
    """Attributes that begin with a word and a dot, whose rules are looked up by that word."""

    rules: Callable[[str], tuple[AttributeRule, ...]]
    """From the word to its rules; none for a word that nobody declares."""
    names: Callable[[], tuple[str, ...]]
    """Gives the attributes of every packaged family, to guess what was meant."""


class NodeType(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules must know of a node type; its handler declares it."""

    name: str
    shape: str = ""
    """The DOT shape that stands for this type; empty when it has none."""
    doc: str
    attributes: tuple[AttributeRule, ...] = ()
    leaves_output: bool = False
    """Whether it runs commands, whose streams and exit code later stages may ask for."""
    side_by_side: bool = False
    """Whether it leaves the workspace alone, so that several items can be worked on at once."""
    families: Families | None = None
    """Whose attributes it takes beside its own."""
    check: Callable[[Node], Iterator[Finding]] | None = None
    """Findings about one node's values that only its handler can judge."""


Catalog = Mapping[str, NodeType]

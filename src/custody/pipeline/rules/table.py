"""The attributes that a node type, an edge or the graph knows, and their rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from custody.model.graph import (
    AttributeKind,
    AttributeRule,
    Catalog,
    Duration,
    Families,
    Node,
)
from custody.pipeline import graphviz
from custody.pipeline.values import is_kind
from custody.pipeline.vocabulary import ALIASES, NODE_ATTRIBUTES, RANGES

_PLAIN: dict[AttributeKind, type] = {
    "string": str,
    "list": str,
    "node": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "duration": Duration,
    "size": int,
}


class Table:
    """The attributes that one owner knows."""

    def __init__(
        self,
        owner: str,
        *groups: tuple[AttributeRule, ...],
        families: Families | None = None,
        taken: Callable[[], Iterable[str]] = tuple,
        looks: frozenset[str] = graphviz.NODE,
    ) -> None:
        """Words that are ``taken`` are no family's: a node type has attributes that begin so."""
        self.owner = owner
        self.looks = looks
        """What Graphviz understands there, and nobody else looks at."""
        self.rules = {rule.name: rule for group in groups for rule in group}
        self.plain = {name: _PLAIN[rule.kind] for name, rule in self.rules.items() if _free(rule)}
        """The type of a value that needs no further look."""
        self._required = {name for name, rule in self.rules.items() if rule.required}
        self._open = [rule for rule in self.rules.values() if rule.name.endswith("*")]
        self._families = families
        self._taken = taken
        self._met: dict[str, Table] = {}
        """The families that were asked for, by their word."""

    @classmethod
    def of_type(cls, name: str, catalog: Catalog) -> Table:
        """Return what nodes of a type know."""
        kind = catalog[name]

        def taken() -> Iterator[str]:
            dotted = (rule.name for each in catalog.values() for rule in each.attributes)
            return (name.partition(".")[0] for name in dotted if "." in name)

        return cls(
            f"type {name}",
            NODE_ATTRIBUTES,
            kind.attributes,
            families=kind.families,
            taken=taken,
        )

    @property
    def has_families(self) -> bool:
        """Whether agents have attributes there."""
        return self._families is not None

    def rule(self, name: str) -> AttributeRule | None:
        """Return the rule for an attribute; None where it is not known."""
        return self.own_rule(name) or self._family(name).own_rule(name)

    def own_rule(self, name: str) -> AttributeRule | None:
        """Return the rule for an attribute of the owner's own, without asking a family."""
        rule = self.rules.get(name)
        if rule is not None:
            return rule
        return next((rule for rule in self._open if name.startswith(rule.name[:-1])), None)

    def names(self, name: str) -> list[str]:
        """Return every name that may have been meant by another one."""
        packaged = () if self._families is None else (*self._families.names(), *ALIASES)
        return list(dict.fromkeys([*self.rules, *packaged, *self._family(name).rules]))

    def fits(self, node: Node) -> bool:
        """Whether the node has every required attribute, and each has a value of its kind."""
        if not self._required <= node.attributes.keys():
            return False
        rules = ((self.rule(name), each.value) for name, each in node.attributes.items())
        return all(rule is None or is_kind(value, rule.kind) for rule, value in rules)

    def _family(self, name: str) -> Table:
        word, dot, _ = name.partition(".")
        if self._families is None or not dot:
            return _NOBODY
        if word not in self._met:
            rules = () if word in self._taken() else self._families.rules(word)
            self._met[word] = Table(self.owner, rules) if rules else _NOBODY
        return self._met[word]


def _free(rule: AttributeRule) -> bool:
    """Whether any value of its kind will do."""
    return rule.name not in RANGES and not rule.choices and not rule.paths


_NOBODY = Table("")

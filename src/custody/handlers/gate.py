"""``gate``: gates are asked about what an earlier stage left on record; nothing is done.

The gates read their settings (``response_schema``, ``allowed_write_paths`` …) from this node, so a
later gate can be stricter than the one that the stage itself had to pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates import Gate, gates
from custody.checks.gates.response import check_schema
from custody.handlers import Handler
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node, NodeType


def _check(node: Node) -> Iterator[Finding]:
    named = node.attributes.get("gates")
    for name in node.items("gates"):
        if named is not None and name not in gates():
            yield named.finding("attribute", f"no gate {name!r}", f"one of {', '.join(gates())}")
    yield from check_schema(node)


def _settings() -> tuple[AttributeRule, ...]:
    """Return what gates read from a node, each attribute once."""
    rules = (rule for kind in gates().values() for rule in kind.attributes)
    return tuple({rule.name: rule for rule in rules}.values())


class GateHandler(Handler):
    """Asks named gates about the last attempt at another stage."""

    type = NodeType(
        name="gate",
        doc="Gates are asked about what an earlier stage left on record.",
        side_by_side=True,
        attributes=(
            AttributeRule(
                name="stage",
                kind="node",
                required=True,
                doc="The node whose last answer is judged.",
            ),
            AttributeRule(
                name="gates",
                kind="list",
                required=True,
                doc="Which gates, in order; all of them must be passed.",
            ),
            *_settings(),
        ),
        check=_check,
    )

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Return the gates that the node names."""
        return tuple(gates()[name].of(node) for name in node.items("gates"))

    def judged(self, node: Node) -> str:
        """Return the stage that the node names."""
        return node.text("stage")

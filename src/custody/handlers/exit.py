"""``exit``: where a run ends, well or by an exit that says ``status=fail``."""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates import Case
from custody.handlers import Handler
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.outcome import Outcome

STATUSES = ("success", "fail")


def _check(node: Node) -> Iterator[Finding]:
    status = node.attributes.get("status")
    if status is not None and status.value not in STATUSES:
        expected = " or ".join(STATUSES)
        yield status.finding("attribute", f"status of an exit is {expected}, not {status.value!r}")


class ExitHandler(Handler):
    """Ends the run."""

    type = NodeType(
        name="exit",
        shape="Msquare",
        doc="Where the run ends.",
        side_by_side=True,
        attributes=(
            AttributeRule(name="status", kind="string", doc="`fail` makes the run end FAIL here."),
        ),
        check=_check,
    )

    def outcome(self, node: Node, case: Case) -> Outcome:
        """Succeed or fail as the exit says."""
        if node.text("status") == "fail":
            return Outcome(status="fail", failure_reason=f"reached exit {node.id}")
        return super().outcome(node, case)

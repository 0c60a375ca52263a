"""``tool``: a command runs in the workspace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from custody.checks.gates import Gate
from custody.checks.gates.exit_code import ExitCodeGate
from custody.checks.gates.writes import WritesGate
from custody.errors import CommandRefused
from custody.handlers import Handler, Situation, programs_of
from custody.handlers.network import NETWORK, check_network, network_of
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.need import Need
from custody.model.request import ToolRequest

DEFAULT_TIMEOUT = 600.0


def _check(node: Node) -> Iterator[Finding]:
    yield from check_network(node)
    command = node.attributes.get("tool_command")
    if command is None:
        return
    from custody.checks.guards.tool_command import check_tool_command

    try:
        check_tool_command(str(command.value))
    except CommandRefused as refused:
        yield command.finding(refused.code, refused.what, refused.hint)


class ToolHandler(Handler):
    """Runs one command."""

    type = NodeType(
        name="tool",
        shape="parallelogram",
        doc="A command runs in the workspace.",
        leaves_output=True,
        attributes=(
            AttributeRule(
                name="tool_command",
                kind="string",
                required=True,
                doc="The command; a shell is used only where it needs one.",
            ),
            NETWORK,
        ),
        check=_check,
    )

    def starts_programs(self, node: Node, agent: str) -> bool:  # noqa: ARG002
        """Say yes: commands are programs."""
        return True

    def needs(
        self,
        node: Node,
        agent: str,  # noqa: ARG002
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> Iterator[Need]:
        """Yield the programs of the command."""
        from custody.checks.guards.tool_command import to_command_line

        yield from programs_of(to_command_line(node.text("tool_command")))

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Ask for exit code 0."""
        return (WritesGate.of(node), ExitCodeGate())

    def request(self, node: Node, situation: Situation) -> ToolRequest:
        """Ask for the command."""
        from custody.checks.guards.tool_command import to_command_line

        return ToolRequest(
            id=situation.request_id,
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            network=network_of(node),
            line=to_command_line(node.text("tool_command")),
        )

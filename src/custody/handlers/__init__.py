"""What each kind of node means: one file a type.

A handler is two pure functions: from a node and where the run stands to the request that must
be made, and from the ack to the outcome. Everything else about a stage (guards, evidence,
retries, routing) is the engine's.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar, NamedTuple

from custody.model.graph import Catalog, Node, NodeType, Pipeline
from custody.model.outcome import Outcome, OutcomeStatus
from custody.model.request import Ack, AckStatus, AnyRequest
from custody.model.state import State


class Situation(NamedTuple):
    """Where the run stands when a stage is entered."""

    run_id: str
    pipeline: Pipeline
    state: State
    """With this attempt not yet counted."""
    variables: dict[str, str]
    agent: str
    """The agent of nodes that name none."""
    visit: int
    attempt: int

    def request_id(self, node: Node) -> str:
        """Return the id of the one request that this attempt may make."""
        return f"{node.id}/{self.visit}.{self.attempt}"

    def folder(self, node: Node) -> str:
        """Return the attempt's folder, relative to the run directory."""
        return f"nodes/{node.id}/{self.visit}.{self.attempt}"

    def template_values(self) -> dict[str, str]:
        """Return what the names in a template stand for."""
        return {**self.variables, "goal": self.pipeline.goal, "run_id": self.run_id}


class Handler:
    """The meaning of one node type; each one says what differs from asking nothing."""

    type: ClassVar[NodeType]

    def request(self, node: Node, situation: Situation) -> AnyRequest | None:  # noqa: ARG002
        """Return what must be asked for; None when the node needs nothing from outside.

        Raises `Refused` when a guard forbids it.
        """
        return None

    def starts_programs(self, node: Node, agent: str) -> bool:  # noqa: ARG002
        """Whether a stage of this node may start one; ``agent`` is that of nodes without any."""
        return False

    def outcome(self, node: Node, ack: Ack) -> Outcome:  # noqa: ARG002
        """Return what the answer means for the run."""
        return Outcome(
            status=_OUTCOMES[ack.status],
            failure_reason=ack.failure_reason,
            failure_summary=ack.failure_summary,
            notes=ack.notes,
            context_updates=ack.context_updates,
            refused=ack.verdicts,
        )


_OUTCOMES: dict[AckStatus, OutcomeStatus] = {
    "ok": "success",
    "partial": "partial_success",
    "retry": "retry",
    "failed": "fail",
    "timeout": "fail",
    "refused": "fail",
}


@cache
def handlers() -> dict[str, Handler]:
    """Return every handler by the node type it serves."""
    from custody.handlers.codergen import Codergen
    from custody.handlers.exit import Exit
    from custody.handlers.start import Start
    from custody.handlers.tool import Tool
    from custody.handlers.verification import Verification
    from custody.handlers.write_file import WriteFile

    all_of_them: tuple[Handler, ...] = (
        Start(),
        Exit(),
        Codergen(),
        Tool(),
        Verification(),
        WriteFile(),
    )
    return {handler.type.name: handler for handler in all_of_them}


@cache
def catalog() -> Catalog:
    """Return what the pipeline's rules must know of the node types."""
    return {name: handler.type for name, handler in handlers().items()}

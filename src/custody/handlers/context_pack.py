"""``context_pack``: the librarian answers the run's file request from the workspace."""

from __future__ import annotations

from custody.checks.gates import Gate
from custody.checks.gates.context_pack import ContextPackGate
from custody.checks.gates.writes import WritesGate
from custody.errors import Refused
from custody.handlers import Handler, Situation
from custody.handlers.dispatch import dispatch_config, dispatched
from custody.handlers.rounds import guardrails
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.request import AgentRequest, StepRequest

DEFAULT_TIMEOUT = 300.0


class ContextPackHandler(Handler):
    """Makes the pack, unless it was handed in."""

    type = NodeType(
        name="context_pack",
        doc="The pieces of the workspace that `artifacts/file_request.json` names are copied to "
        "`artifacts/context_pack.json`.",
        attributes=(
            AttributeRule(
                name="block_read_paths",
                kind="list",
                paths=True,
                doc="Files and folders that the pack may not show, beside the holdouts.",
            ),
            AttributeRule(
                name="index",
                kind="string",
                doc="The digest of an index (`custody seek status`): what it finds for the "
                "request's goal fills what room is left. An index of another digest is refused.",
            ),
        ),
    )

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Judge the pack, and that nothing else came of it."""
        return (WritesGate.of(node), ContextPackGate())

    def request(self, node: Node, situation: Situation) -> StepRequest | AgentRequest | None:
        """Ask for the pack; for nothing where the user handed one in.

        A person is asked only where the configuration of the change says so twice. Raises `Refused`
        where there is no request, or it asks for more than the guardrails give.
        """
        documents = situation.state.documents
        if layout.CONTEXT_PACK in situation.state.given:
            return None
        asked = documents.get(layout.FILE_REQUEST)
        if asked is None:
            raise Refused("file_request", f"there is no {layout.FILE_REQUEST} to answer")
        _refuse_dear(situation, asked)
        config = dispatch_config(situation)
        if config is not None and config.manual_librarian:
            return _by_hand(node, situation, asked)
        hidden = [path.rstrip("/") for path in node.items("block_read_paths") if path]
        index = situation.expand(node.text("index", ""))
        return StepRequest(
            id=situation.request_id,
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            step="context_pack",
            inputs={"request": asked},
            settings={
                **({"hidden": "\n".join(hidden)} if hidden else {}),
                **({"index": index} if index else {}),
            },
            writes=(layout.CONTEXT_PACK, layout.CONTEXT_PACK_FAILURE),
        )


def _refuse_dear(situation: Situation, asked: Evidence) -> None:
    """Raise `Refused` where guardrails give less than the budget of the request."""
    from custody.checks.contracts import beyond_guardrails

    rules = guardrails(situation)
    if rules is not None and (what := beyond_guardrails(situation.read(asked), rules)):
        raise Refused("budget", f"{layout.FILE_REQUEST}: {what}")


def _by_hand(node: Node, situation: Situation, asked: Evidence) -> AgentRequest:
    """Ask a person for the pack."""
    from custody.model.contracts.dispatch_config import LIBRARIAN, MANUAL

    wanted = situation.read(asked).decode(errors="replace")
    text = (
        f"Answer this request with the content of {layout.CONTEXT_PACK}, copied from the "
        f"repository to the byte:\n\n{wanted}"
    )
    return AgentRequest(
        id=situation.request_id,
        timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
        agent=MANUAL,
        prompt=Evidence.of_text(f"{situation.folder}/{layout.PROMPT}", text),
        call=situation.state.attempts.get(node.id, 0) + 1,
        settings=dispatched({}, layout.CONTEXT_PACK, situation),
        output_path=layout.CONTEXT_PACK,
        role=LIBRARIAN,
        action="context_pack",
    )

"""The agent ``contract_check``: who reviews the contract without asking a model.

It reads the draft of a plan as the gates will read the plan, and approves what they could pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.errors import PathRefused
from custody.executors.agents import AgentType
from custody.model import layout
from custody.model.request import Ack, AgentRequest

if TYPE_CHECKING:
    from custody.executors import Stage


class ContractCheck:
    """Judges a draft by rules."""

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Write the review."""
        findings = [*_findings(stage)]
        verdict = "BLOCK" if findings else "APPROVE"
        reasons = "\n".join(f"- {one}" for one in findings) or "none"
        text = (
            f"# Review of the contract\n\nVerdict: {verdict}\n\n"
            f"Blocking Reasons:\n\n{reasons}\n\n"
            f"Required Fix/Artifacts:\n\n{f'- {layout.PLAN_DRAFT}' if findings else 'none'}\n"
        )
        response = stage.folder.write(layout.RESPONSE, text)
        return Ack(request_id=request.id, status="ok", evidence=(response,))


def _findings(stage: Stage) -> Iterator[str]:
    from custody.pipeline.contracts.guardrails import read_guardrails
    from custody.pipeline.contracts.plan import read_plan

    draft = _read(stage, layout.PLAN_DRAFT)
    if draft is None:
        yield f"there is no {layout.PLAN_DRAFT}"
        return
    reading = read_plan(draft, draft=True)
    yield from (
        f"{layout.PLAN_DRAFT}:{one.line} {one.message}"
        for one in reading.findings
        if one.severity == "error"
    )
    guardrails = _read(stage, layout.GUARDRAILS)
    if guardrails is None or read_guardrails(guardrails).sound is None:
        yield f"{layout.GUARDRAILS} cannot be relied on"


def _read(stage: Stage, path: str) -> bytes | None:
    try:
        return stage.run.root.read(path)
    except PathRefused:
        return None


AGENT = AgentType(
    name="contract_check",
    doc="Reviews the draft of a plan by the rules of the gates; no model is asked.",
    make=lambda _argument, _context: ContractCheck(),
    starts_programs=False,
    waits=False,
)

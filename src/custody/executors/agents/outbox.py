"""A person as an agent: the prompt goes to the outbox, and the run waits for the answer.

    outbox/NNN_<node>_<action>.md  what is asked for, with the constraints of the answer
    inbox/<request>.<digest>.md    the answer, written once; the digest is the prompt's

The answer may hold edits (`custody.executors.edits`), as many as its budgets allow. A
request that has no answer yet ends the process by `AnswerAwaited`, which is no failure. Asking
again, after a crash or too early, finds the prompt where it is and writes nothing.
"""

from __future__ import annotations

import re

from custody.errors import AnswerAwaited, PathRefused
from custody.executors import Stage
from custody.executors.agents import AgentType
from custody.executors.edits import Budget, apply_response
from custody.executors.settings import setting
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.request import Ack, AgentRequest
from custody.store.rundir import RunDirectory

ACTION = "answer"
BUDGETS = {
    "max_outbox_prompts": "20",
    "max_files": "20",
    "max_total_bytes": "200000",
    "max_iterations": "3",
}
"""What a run may ask of a person and an answer may hold, where the node says nothing else."""

_NUMBER = re.compile(r"([0-9]{3,})_")
_TASK = "\n## Task\n\n"


class OutboxAgent:
    """Asks a person, by files."""

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Take the answer; raises `AnswerAwaited` as long as there is none."""
        target = answer_path(request)
        asked = _asked_before(request, stage.run) or _ask(request, stage.run, target)
        if asked is None:
            limit = _budgets(request)["max_outbox_prompts"]
            reason = f"max_outbox_prompts exceeded: {limit}"
            return Ack(request_id=request.id, status="failed", failure_reason=reason)
        answer = _read(stage.run, target)
        if answer is None:
            raise AnswerAwaited(request.id, path=asked.path, answer=target, run=stage.run.run_id)
        response = stage.folder.write(layout.RESPONSE, answer.text or "")
        ack = Ack(
            request_id=request.id,
            status="ok",
            notes="answered by a person",
            evidence=(response, asked, answer),
        )
        if request.output_path:
            return ack
        budgets = _budgets(request)
        budget = Budget(int(budgets["max_files"]), int(budgets["max_total_bytes"]))
        return apply_response(ack, answer.text or "", stage, budget)


def answer_path(request: AgentRequest) -> str:
    """Return where the answer belongs: an answer to another prompt is none to this one."""
    return layout.answer(request.id, request.prompt.sha256)


def prompt_text(request: AgentRequest, run_dir: str, target: str) -> str:
    """Return what the person reads."""
    node = layout.node_of(request.id)
    budgets = "\n".join(f"{name}: {value}" for name, value in _budgets(request).items())
    return (
        f"Request: {request.id}\n"
        f"Run-Dir: {run_dir}\n"
        f"Role: {node}\n"
        f"Action: {ACTION}\n"
        f"Target-Path: {target}\n"
        f"write to: {target}\n"
        f"Missing artifacts: {target}\n"
        f"{budgets}\n"
        "\n## Hard constraints\n\n"
        "- Only write the requested target artifact in the run directory.\n"
        "- Do not modify repository files.\n"
        "- The answer itself may change them: by whole files in fences that name them"
        " (```` ```text file=PATH ````), or by one patch.\n"
        "- Follow the output keys that the task names (such as `Verdict: APPROVE|BLOCK` or"
        " `Status: SIGNED`).\n"
        "- If the target is a patch, the answer is a unified diff only: no prose, no whole files.\n"
        f"{_TASK}{request.prompt.text or ''}"
    )


def _ask(request: AgentRequest, run: RunDirectory, target: str) -> Evidence | None:
    """Write the prompt, durably; None when no more may be asked."""
    names = _names(run)
    if len(names) >= int(_budgets(request)["max_outbox_prompts"]):
        return None
    number = max((int(found[1]) for name in names if (found := _NUMBER.match(name))), default=0) + 1
    node = layout.node_of(request.id)
    path = layout.question(number, node, ACTION)
    evidence = Evidence.of_text(path, prompt_text(request, run.path, target))
    run.root.create(path, (evidence.text or "").encode())
    return evidence


def _asked_before(request: AgentRequest, run: RunDirectory) -> Evidence | None:
    target = f"\nTarget-Path: {answer_path(request)}\n"
    for name in _names(run):
        evidence = _read(run, f"{layout.OUTBOX}/{name}")
        if evidence is not None and target in (evidence.text or "").partition(_TASK)[0]:
            return evidence
    return None


def _names(run: RunDirectory) -> list[str]:
    return sorted(run.root.names(layout.OUTBOX)) if run.root.exists(layout.OUTBOX) else []


def _read(run: RunDirectory, path: str) -> Evidence | None:
    try:
        data = run.root.read(path)
    except PathRefused as refused:
        if refused.code == "missing":
            return None
        raise
    return Evidence.of_text(path, data.decode())


def _budgets(request: AgentRequest) -> dict[str, str]:
    return {name: request.settings.get(f"outbox.{name}", value) for name, value in BUDGETS.items()}


AGENT = AgentType(
    name="outbox",
    aliases=("manual_outbox",),
    doc="Asks a person by a file; the run waits for the answer.",
    settings=(
        setting("max_outbox_prompts", "integer", "How often a run may ask a person; default: 20."),
        setting("max_files", "integer", "How many files an answer may write; default: 20."),
        setting(
            "max_total_bytes", "integer", "Bytes that they may have together; default: 200000."
        ),
        setting("max_iterations", "integer", "Told to the person; default: 3."),
    ),
    make=lambda _argument, _context: OutboxAgent(),
    starts_programs=False,
)

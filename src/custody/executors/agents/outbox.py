"""A person as an agent: the prompt goes to the outbox, and the run waits for the answer.

    outbox/NNN_<node>_<action>.md  what is asked for, with the constraints of the answer
    inbox/<request>.<digest>.md    the answer, written once; the digest is the prompt's

The answer may hold edits (`custody.executors.edits`), as many as its budgets allow. A
request that has no answer yet ends the process by `AnswerAwaited`, which is no failure. Asking
again, after a crash or too early, finds the prompt by its bytes and writes nothing. What lies in
the place of an answer and can be none (`custody.executors.answer_check`) is set aside.
"""

from __future__ import annotations

import os
import re
import shlex

from msgspec import UNSET

from custody.errors import AnswerAwaited, PathRefused
from custody.executors import Stage
from custody.executors.agents import AgentType
from custody.executors.answer_check import fault_of
from custody.executors.edits import Budget, apply_response
from custody.executors.settings import setting
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.letter_event import AnswerRefused, QuestionAsked
from custody.model.request import Ack, AgentRequest
from custody.store.mailbox import Box, box_of

ACTION = "answer"
BUDGETS = {
    "max_outbox_prompts": "20",
    "max_files": "20",
    "max_total_bytes": "200000",
    "max_iterations": "3",
}
"""What a run may ask of a person and an answer may hold, where the node says nothing else."""

_NUMBER = re.compile(r"([0-9]{3,})_")
_RUN_DIR = re.compile(r"^Run-Dir: (.*)$", re.MULTILINE)
_SUFFIX = ".md"


# BEHAVIOR_ID: B018
class OutboxAgent:
    """Asks a person, by files."""

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Take the answer; raises `AnswerAwaited` as long as there is none."""
        prompts = Box(stage.run.root, layout.OUTBOX, _SUFFIX)
        asked = _asked(request, prompts) or _ask(request, stage, prompts)
        if asked is None:
            limit = _budgets(request)["max_outbox_prompts"]
            reason = f"max_outbox_prompts exceeded: {limit}"
            return Ack(request_id=request.id, status="failed", failure_reason=reason)
        ack = self.recover(request, stage)
        if ack is None:
            target = answer_path(request)
            raise AnswerAwaited(request.id, path=asked.path, answer=target, run=stage.run.run_id)
        return ack

    def recover(self, request: AgentRequest, stage: Stage) -> Ack | None:
        """Take the answer; None as long as there is none."""
        data = _answer(request, stage)
        if data is None:
            return None
        answer = Evidence.of_text(answer_path(request), data.decode())
        asked = _asked(request, Box(stage.run.root, layout.OUTBOX, _SUFFIX))
        response = stage.folder.write(layout.RESPONSE, answer.text or "")
        ack = Ack(
            request_id=request.id,
            status="ok",
            notes="answered by a person",
            evidence=(response, answer) if asked is None else (response, asked, answer),
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
    if request.role is not UNSET:
        return _of_a_role(request, run_dir, request.role)
    node = layout.node_of(request.id)
    budgets = _told_budgets(request)
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
        f"\n## Task\n\n{request.prompt.text or ''}"
    )


def _of_a_role(request: AgentRequest, run_dir: str, role: str) -> str:
    """Return what whoever has a role in a change reads."""
    target = request.output_path
    only = (
        "- The target is a patch: unified diff only, beginning with `diff --git`; no prose, no"
        " whole files.\n"
        if target == layout.PATCH
        else ""
    )
    return (
        f"Request: {request.id}\n"
        f"Run-Dir: {run_dir}\n"
        f"Role: {role}\n"
        f"Action: {_action(request)}\n"
        f"Target-Path: {target}\n"
        f"write to: {target}\n"
        f"Missing artifacts: {target}\n"
        f"{_told_budgets(request)}\n"
        "\n## Hard constraints\n\n"
        "- Only write the requested target artifact in the run directory.\n"
        "- Do not modify repository files.\n"
        "- Follow the output keys that the task names (such as `Verdict: APPROVE|BLOCK` or"
        " `Status: SIGNED`).\n"
        f"{only}"
        f"\n`{_by_command(request, run_dir)}` hands the answer in as well.\n"
        f"\n## Task\n\n{request.prompt.text or ''}"
    )


def _by_command(request: AgentRequest, run_dir: str) -> str:
    """Return the command that answers, wherever it is given and however many runs wait."""
    folder, name = os.path.split(run_dir)
    asked = shlex.quote(f"{name}/{request.id}")
    return f"custody answer {asked} --file ANSWER --runsdir {shlex.quote(folder)}"


def _told_budgets(request: AgentRequest) -> str:
    return "\n".join(f"{name}: {value}" for name, value in _budgets(request).items())


def _asked_as(request: AgentRequest) -> tuple[str, str]:
    """Return who is asked and for what, as the file of a question is called."""
    role = layout.node_of(request.id) if request.role is UNSET else request.role
    return role, _action(request)


def _action(request: AgentRequest) -> str:
    return ACTION if request.action is UNSET else request.action


def _answer(request: AgentRequest, stage: Stage) -> bytes | None:
    """Return the answer; None when there is none, or none that can be one: that is set aside."""
    path = answer_path(request)
    answers, key = box_of(stage.run.root, path)
    try:
        data = answers.get(key)
        fault = "" if data is None else fault_of(data, request)
    except PathRefused as refused:
        data, fault = None, refused.what
    if not fault:
        return data
    aside = stage.run.set_aside(path)
    refusal = AnswerRefused(node=stage.node, request_id=request.id, path=aside, reason=fault)
    stage.tell(refusal)
    return None


def _ask(request: AgentRequest, stage: Stage, prompts: Box) -> Evidence | None:
    """Write the prompt, durably, when the journal has its hash; None when no more may be asked."""
    known: list[str] = prompts.keys()
    keys = [key for key in known if _NUMBER.match(key)]
    if len(keys) >= int(_budgets(request)["max_outbox_prompts"]):
        return None
    number = max((int(found[1]) for key in keys if (found := _NUMBER.match(key))), default=0) + 1
    path = layout.question(number, *_asked_as(request))
    target = answer_path(request)
    text = prompt_text(request, stage.run.path, target)
    question = Evidence.of_text(path, text)
    asked = QuestionAsked(
        node=stage.node, request_id=request.id, question=question.sealed(), answer=target
    )
    stage.tell(asked)
    prompts.put(prompts.key(path), text.encode())
    return question


def _asked(request: AgentRequest, prompts: Box) -> Evidence | None:
    """Return the prompt that was written before: it holds the very bytes, whatever its number.

    Where the run lay then does not matter: it may have been copied or renamed since.
    """
    known: list[str] = prompts.keys()
    for key in known:
        text = (prompts.get(key) or b"").decode(errors="replace")
        if (lay := _RUN_DIR.search(text)) is None:
            continue
        if text == prompt_text(request, lay[1], answer_path(request)):
            return Evidence.of_text(prompts.path(key), text)
    return None


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

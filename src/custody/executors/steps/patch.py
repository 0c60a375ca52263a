"""Lets git check and apply a patch, in the sandbox, on the layer of the attempt."""

from __future__ import annotations

import hashlib
from typing import Final

from custody.errors import PathRefused
from custody.executors.commands import Ran, seen_workspace
from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.contracts.patch_result import PatchResult
from custody.model.evidence import Evidence
from custody.model.record import encode_pretty
from custody.model.request import Ack, Command, CommandLine
from custody.sandbox.stage import network_access
from custody.supervise.supervisor import Limits

POLICY = "patch_policy.json"
"""Where a repository keeps what no patch of it may do."""
CANDIDATE = "candidate.patch"
"""The patch as git reads it, in the folder of the attempt."""
POLICY_LIMIT = 1 << 20
MESSAGE_LIMIT = 2000
GIT: Final = (
    "git", "-c", "core.autocrlf=false", "-c", "core.safecrlf=false",
    "-c", "apply.whitespace=nowarn", "-c", "apply.ignoreWhitespace=no", "apply",
)  # fmt: skip


def carry_out(step: StepWork) -> Ack:
    """Check the patch and, if git takes it, apply it; or take it back."""
    patch = step.read("patch") or b""
    kept = step.stage.folder.write(CANDIDATE, patch)
    step.stage.folder.show(kept)
    if step.settings.get("reverse"):
        return _ack(step, kept, _git(step, "reverse", "--reverse"))
    _keep_policy(step)
    checked = _git(step, "check", "--check")
    applied = _git(step, "apply") if checked.result.succeeded else None
    last = applied or checked
    result = PatchResult(
        patch_sha256=hashlib.sha256(patch).hexdigest(),
        check_exit_code=_exit_code(checked),
        apply_exit_code=None if applied is None else _exit_code(applied),
        message=_message(last),
    )
    step.write(layout.PATCH_RESULT, encode_pretty(result))
    return _ack(step, kept, *(ran for ran in (checked, applied) if ran is not None))


def _keep_policy(step: StepWork) -> None:
    """Put on record what the repository says, before anything is changed."""
    root = step.stage.workspace.root
    try:
        data = root.read(POLICY, limit=POLICY_LIMIT)
    except PathRefused as refused:
        if refused.code == "missing":
            return
        data = f"{refused.what}\n".encode()  # no policy at all, and the gate says so
    step.write(layout.PATCH_POLICY, data)


def _git(step: StepWork, name: str, *options: str) -> Ran:
    argv = (*GIT, *options, "-")
    line = CommandLine(text=" ".join(argv), commands=(Command(argv=argv),))
    return step.runner.follow(
        line,
        step.stage,
        network_access(step.request),
        name=name,
        limits=Limits(timeout=step.request.timeout),
        variables={
            "GIT_CEILING_DIRECTORIES": seen_workspace(step.stage).rpartition("/")[0] or "/",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        },
        stdin=f"{step.stage.run.path}/{step.stage.folder.path}/{CANDIDATE}",
    )


def _ack(step: StepWork, kept: Evidence, *ran: Ran) -> Ack:
    last = ran[-1]
    return Ack(
        request_id=step.request.id,
        status="ok",
        seconds=round(sum(one.result.seconds for one in ran), 6),
        exit_code=last.result.exit_code,
        failure_summary="" if last.result.succeeded else last.summary(),
        evidence=(kept, *(e for one in ran for e in (one.stdout, one.stderr)), *step.wrote),
        redacted=sum(one.result.redacted for one in ran),
    )


def _exit_code(ran: Ran) -> int | None:
    """Return how git ended; None when the runtime ended it, or could not start it."""
    result = ran.result
    return None if result.ended_by or result.failure else result.exit_code


def _message(ran: Ran) -> str:
    ended = ran.result.ended_by or ran.result.failure
    return ran.result.failure_reason if ended else _said(ran)


def _said(ran: Ran) -> str:
    return ran.result.stderr.tail[-MESSAGE_LIMIT:].decode(errors="replace").strip()

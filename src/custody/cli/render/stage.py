"""Everything about one attempt at a stage, in the order in which it happened."""

from __future__ import annotations

from collections.abc import Iterator

from custody.cli.render.journal import TONES, detail
from custody.cli.render.progress import tone
from custody.cli.render.table import count, seconds
from custody.cli.result import Line, Tone
from custody.model import layout
from custody.model.event import GateFailed, GatePassed
from custody.model.request import (
    Ack,
    AgentRequest,
    AnyRequest,
    StepRequest,
    ToolRequest,
    VerificationRequest,
)
from custody.model.usage import told_cost, told_tokens, usage_of
from custody.views.attempts import Account, Attempt

TAIL = 40
"""How many lines of a stream are shown: its end."""
_WHOLE = (
    layout.PROMPT,
    layout.RESPONSE,
    layout.VERIFICATION_PLAN,
    layout.VERIFICATION_RESULTS,
)
"""Files that are shown from their first line."""


def stage(account: Account) -> Iterator[Line]:
    """Return the page."""
    attempt = account.shown
    status = "at work" if attempt.outcome is None else attempt.outcome.status
    yield Line(f"{attempt.node} {attempt.number}  {attempt.type}  {status}", tone(status))
    yield from _facts(attempt)
    for name, text in account.texts.items():
        yield from _file(name, text)
    for name, reason in account.unreadable.items():
        yield Line("")
        yield Line(f"── {name}: cannot be read: {reason}", "bad")
    yield from _changes(account)
    yield from _others(account)


def _facts(attempt: Attempt) -> Iterator[Line]:
    yield Line(f"  evidence: {attempt.folder}")
    if attempt.request is not None:
        yield Line(f"  asked: {asked(attempt.request)}")
    if attempt.ack is not None:
        code = "" if attempt.ack.exit_code is None else f", exit code {attempt.ack.exit_code}"
        yield Line(f"  answer: {attempt.ack.status} after {seconds(attempt.ack.seconds)}{code}")
        if isinstance(attempt.request, AgentRequest):
            used = usage_of(attempt.ack)
            text = f"  used: tokens {told_tokens(used)}; cost {told_cost(used)}"
            yield Line(text, hang=4)
        yield from _confined(attempt.ack)
    if attempt.outcome is not None and attempt.outcome.failure_reason:
        yield Line(f"  reason: {attempt.outcome.failure_reason}", "bad", hang=4)
    if attempt.outcome is not None and attempt.outcome.notes:
        yield Line(f"  notes: {attempt.outcome.notes}")
    for judged in attempt.gates:
        yield _gate(judged)
    for verdict in attempt.verdicts:
        what = f"  refused: {verdict.code} {verdict.subject} {verdict.reason}"
        yield Line(what, "bad", hang=4)
    for noted in attempt.others:
        yield Line(f"  {noted.event}: {detail(noted.fact)}", TONES[noted.fact.traits.level])
    if attempt.retry_delay is not None:
        yield Line(f"  tried again after {seconds(attempt.retry_delay)}", "warn")
    if attempt.route is not None:
        how = "by its condition" if attempt.route.by_condition else "unconditionally"
        yield Line(f"  went to: {attempt.route.target or 'nowhere'}, {how}")


def _gate(judged: GatePassed | GateFailed) -> Line:
    if isinstance(judged, GatePassed):
        return Line(f"  gate {judged.gate}: passed")
    tone: Tone = "warn" if judged.effect == "warn" else "bad"
    return Line(f"  gate {judged.gate}: {judged.reason}", tone, hang=4)


def _confined(ack: Ack) -> Iterator[Line]:
    held = ack.confined
    if held is None:
        return
    if held.unconfined:
        yield Line("  confined: not at all", "warn")
        return
    reach = ", ".join(held.reach) or "closed"
    network = reach if held.network == "none" else held.network
    hidden = f", {count(len(held.hidden), 'path')} hidden" if held.hidden else ""
    yield Line(f"  confined: {held.level}, network {network}{hidden}", hang=4)
    if held.refused:
        yield Line(f"  not reached: {', '.join(held.refused)}", "warn", hang=4)


def asked(request: AnyRequest) -> str:
    """Return what was asked for, on one line."""
    match request:
        case AgentRequest():
            return f"agent {request.agent}, call {request.call}"
        case ToolRequest():
            return request.line.text
        case VerificationRequest():
            files = count(len(request.required_files), "file")
            return f"{files}; {'; '.join(line.text for line in request.lines)}"
        case StepRequest():
            read = ", ".join(item.path for item in request.inputs.values())
            return f"step {request.step}{f' of {read}' if read else ''}"
        case _:
            return f"write {request.document.path}"


def _file(name: str, text: str) -> Iterator[Line]:
    lines = text.rstrip("\n").split("\n") if text else []
    shown = lines if name in _WHOLE else lines[-TAIL:]
    cut = f", the last {TAIL} of {count(len(lines), 'line')}" if len(shown) < len(lines) else ""
    yield Line("")
    yield Line(f"── {name}{cut}{'' if lines else ': empty'}", "strong")
    hang = 2 if layout.is_agent_log(name) else None  # our own, and nothing to paste
    yield from (Line(line, hang=hang) for line in shown)


def _changes(account: Account) -> Iterator[Line]:
    yield Line("")
    if not account.changes:
        yield Line("── changed: nothing", "strong")
        return
    undone = ", refused and undone" if account.shown.verdicts else ""
    yield Line(f"── changed: {count(len(account.changes), 'path')}{undone}", "strong")
    for change in account.changes:
        yield Line(f"{change.change:<8} {change.path}")


def _others(account: Account) -> Iterator[Line]:
    if len(account.attempts) < 2:  # noqa: PLR2004 - the one shown, and another
        return
    yield Line("")
    yield Line(f"── all {len(account.attempts)} attempts", "strong")
    for attempt in account.attempts:
        outcome = attempt.outcome
        status = "at work" if outcome is None else outcome.status
        reason = "" if outcome is None else outcome.failure_reason
        yield Line(f"{attempt.number:<6} {status:<15} {reason}".rstrip(), tone(status))

"""One line of the journal, for a person."""

from __future__ import annotations

from custody.cli.render.table import count, seconds
from custody.cli.result import Line, Tone
from custody.model.attempt_event import AnswerArrived, AttemptLost
from custody.model.event import (
    AnyFact,
    GateFailed,
    GatePassed,
    GuardrailViolation,
    JournalLine,
    PipelineCompleted,
    PipelineFailed,
    PipelineStarted,
    RequestAnswered,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.fact import Level
from custody.model.ingest_event import IngestChecked, IngestFact, IngestFailed
from custody.model.letter_event import AnswerRefused, QuestionAsked
from custody.model.outcome import Outcome
from custody.model.process_event import (
    AgentReplaced,
    PipelineReplaced,
    RunInterrupted,
    RunResumed,
    RunWaiting,
)
from custody.model.record import encode
from custody.model.session_event import (
    SessionAckIgnored,
    SessionAttached,
    SessionClosed,
    SessionFact,
    SessionOpened,
)
from custody.model.verify_event import (
    BUNDLE_CREATED,
    VERIFY_FAILED,
    VERIFY_PASSED,
    VERIFY_STARTED,
    Announcement,
    PatchRejected,
)

TONES: dict[Level, Tone] = {"info": "", "warning": "warn", "error": "bad"}
HANG = 7
"""Where the rest of a line goes that is too long for a terminal: below the time."""
PLAIN_LIMIT = 200
"""How many characters of a fact are shown that has no words of its own."""


def journal_line(line: JournalLine) -> Line:
    """Return number, time, event, node and what is worth knowing of the fact."""
    clock = line.ts.partition("T")[2]
    columns = f"{line.seq:>5}", clock, f"{line.event:<18}", f"{line.node or '-':<12}"
    parts = (*columns, detail(line.fact()))
    return Line("  ".join(parts).rstrip(), TONES[line.level])


def detail(fact: AnyFact) -> str:  # noqa: PLR0911 - one answer for each kind of fact
    """Return a fact in a few words."""
    match fact:
        case PipelineStarted():
            return f"{fact.pipeline} {fact.pipeline_sha256[:12]}, agent {fact.agent}"
        case StageStarted():
            return f"{fact.type}, visit {fact.visit}, attempt {fact.attempt}"
        case RequestAnswered():
            code = "" if fact.ack.exit_code is None else f", exit code {fact.ack.exit_code}"
            return f"{fact.ack.status} after {seconds(fact.ack.seconds)}{code}"
        case AnswerArrived():
            return f"{fact.ack.status} after {seconds(fact.ack.seconds)}, before its turn"
        case GatePassed():
            return f"{fact.gate}: passed"
        case GateFailed():
            return f"{fact.gate}: {fact.reason} ({fact.effect})"
        case GuardrailViolation():
            return "; ".join(f"{verdict.code}: {verdict.reason}" for verdict in fact.verdicts)
        case StageRetrying():
            return f"{_outcome(fact.outcome)}; again in {seconds(fact.delay)}"
        case StageCompleted() | StageFailed():
            return _outcome(fact.outcome)
        case RouteChosen():
            how = "by condition" if fact.route.by_condition else "unconditional"
            return f"to {fact.route.target}, {how}" if fact.route.target else "no way on"
        case _:
            return _of_the_run(fact)


def _of_the_run(fact: AnyFact) -> str:  # noqa: PLR0911 - the same
    match fact:
        case PipelineFailed():
            return fact.reason
        case RunInterrupted():
            return fact.reason
        case RunWaiting():
            return f"{fact.request_id} must be answered: {fact.path}"
        case RunResumed():
            torn = f", {count(fact.torn_bytes, 'torn byte')} cut" if fact.torn_bytes else ""
            return f"{count(fact.restored_count, 'workspace path')} put back{torn}"
        case PipelineReplaced():
            return f"{fact.old_sha256[:12]} → {fact.new_sha256[:12]}, kept to {fact.kept_seq}"
        case QuestionAsked() | AnswerRefused() | AttemptLost():
            return _of_an_attempt(fact)
        case AgentReplaced():
            return f"{fact.agent} is asked from here on"
        case IngestFact() | IngestChecked() | IngestFailed():
            return f"{fact.doc_path}: {_of_blocks(fact)}"
        case Announcement():
            return f"round {fact.iteration}{_of_a_change(fact)}"
        case SessionFact():
            return f"{fact.session}, token {fact.token}: {_of_a_session(fact)}"
        case PipelineCompleted():
            return ""
        case _:
            return encode(fact).decode()[:PLAIN_LIMIT]


def _of_an_attempt(fact: QuestionAsked | AnswerRefused | AttemptLost) -> str:
    match fact:
        case QuestionAsked():
            return f"{fact.request_id} is asked: {fact.question.path}"
        case AnswerRefused():
            return f"{fact.reason}; it is kept as {fact.path}"
        case AttemptLost():
            return f"{seconds(fact.spent.seconds)} of {fact.request_id} are lost"


def _of_blocks(fact: IngestFact | IngestChecked | IngestFailed) -> str:
    """Return what became of a document, with the first reason that there is."""
    match fact:
        case IngestFailed():
            return f"{fact.error_type}: {fact.reason}"
        case IngestChecked():
            first = fact.verdicts[0]
            return f"{count(len(fact.verdicts), 'warning')}, {first.subject}: {first.reason}"
    if not fact.count:
        return "no block"
    first_block = fact.blocks[0]
    why = f" ({first_block.reason})" if first_block.reason else ""
    return f"{count(fact.count, 'block')}, first {first_block.file or '-'}{why}"


def _of_a_session(fact: SessionFact) -> str:
    match fact:
        case SessionOpened():
            return " ".join((*fact.launcher, *fact.argv))
        case SessionAttached():
            return f"process {fact.program} goes on"
        case SessionClosed():
            code = "" if fact.exit_code is None else f", exit code {fact.exit_code}"
            return f"{fact.reason}{code}"
        case SessionAckIgnored():
            return f"its ack to {fact.request_id} came too late"
        case _:
            return encode(fact).decode()[:PLAIN_LIMIT]


def _of_a_change(fact: Announcement) -> str:
    match fact:
        case PatchRejected():
            return f": {fact.reason}"
        case VERIFY_FAILED():
            return f", {fact.gate}: {fact.reason}"
        case VERIFY_STARTED() | VERIFY_PASSED():
            return f", {fact.gate}"
        case BUNDLE_CREATED():
            return f": {fact.bundle.path}"
        case _:
            return ""


def _outcome(outcome: Outcome) -> str:
    reason = outcome.failure_reason or outcome.notes.partition("\n")[0]
    return f"{outcome.status}: {reason}" if reason else outcome.status

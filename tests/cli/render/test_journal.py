from __future__ import annotations

import msgspec
import pytest

from custody.cli.render.journal import detail, journal_line
from custody.cli.result import Line
from custody.model.attempt_event import AnswerArrived, AttemptLost
from custody.model.confinement import Confined
from custody.model.event import (
    FACTS,
    GENESIS,
    AnyFact,
    GateFailed,
    GatePassed,
    GuardrailViolation,
    JournalLine,
    PipelineCompleted,
    PipelineFailed,
    RequestAnswered,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.ingest import BlockNote
from custody.model.ingest_event import (
    IngestChecked,
    IngestFailed,
    IngestRejected,
    IngestSkipped,
    IngestWritten,
)
from custody.model.letter_event import AnswerRefused, QuestionAsked
from custody.model.outcome import Outcome, Route
from custody.model.process_event import (
    AgentReplaced,
    PipelineReplaced,
    RunInterrupted,
    RunResumed,
    RunWaiting,
)
from custody.model.record import encode
from custody.model.request import Ack, Spent
from custody.model.session_event import (
    SessionAckIgnored,
    SessionAttached,
    SessionClosed,
    SessionOpened,
)
from custody.model.verdict import Verdict
from custody.model.verify_event import (
    BUNDLE_CREATED,
    VERIFY_FAILED,
    VERIFY_PASSED,
    VERIFY_STARTED,
    PatchApplied,
    PatchRejected,
)

FAILED = Outcome(status="fail", failure_reason="tool_exit_code_1")
SAID: list[tuple[AnyFact, str]] = [
    (StageStarted(node="a", type="tool", visit=2, attempt=1), "tool, visit 2, attempt 1"),
    (
        RequestAnswered(
            node="a",
            ack=Ack(request_id="a/1.1", status="failed", seconds=1.5, exit_code=1),
            diff=Evidence.of_text("x", ""),
        ),
        "failed after 1.5s, exit code 1",
    ),
    (
        GuardrailViolation(
            node="a",
            verdicts=(Verdict(check="writes", allowed=False, code="not_allowed", reason="no"),),
        ),
        "not_allowed: no",
    ),
    (
        StageRetrying(node="a", visit=1, attempt=1, outcome=FAILED, delay=2),
        "fail: tool_exit_code_1; again in 2.0s",
    ),
    (StageFailed(node="a", visit=1, attempt=1, outcome=FAILED), "fail: tool_exit_code_1"),
    (GatePassed(node="a", visit=1, attempt=1, gate="exit_code"), "exit_code: passed"),
    (
        GateFailed(
            node="a", visit=1, attempt=1, gate="writes", effect="refuse", reason="no", verdicts=()
        ),
        "writes: no (refuse)",
    ),
    (
        StageCompleted(
            node="a", visit=1, attempt=1, outcome=Outcome(status="success", notes="done\nand more")
        ),
        "success: done",
    ),
    (
        RouteChosen(node="a", route=Route(target="b", by_condition=True, candidates=())),
        "to b, by condition",
    ),
    (RouteChosen(node="a", route=Route(target="", by_condition=False, candidates=())), "no way on"),
    (PipelineCompleted(node="a"), ""),
    (
        PipelineFailed(node="a", reason="max_steps exceeded: 3", unhandled={}),
        "max_steps exceeded: 3",
    ),
    (RunInterrupted(reason="SIGINT"), "SIGINT"),
    (
        RunWaiting(node="a", request_id="a/1.1", path="outbox/001_a_answer.md", answer="inbox/x"),
        "a/1.1 must be answered: outbox/001_a_answer.md",
    ),
    (RunResumed(torn_bytes=7, restored_count=2), "2 workspace paths put back, 7 torn bytes cut"),
    (
        PipelineReplaced(old_sha256="a" * 64, new_sha256="b" * 64, kept_seq=4, reused=()),
        "aaaaaaaaaaaa → bbbbbbbbbbbb, kept to 4",
    ),
    (AgentReplaced(agent="stub"), "stub is asked from here on"),
    (
        SessionOpened(
            session="sta",
            token=2,
            argv=("sta", "-exit"),
            launcher=("srun",),
            confined=Confined(level="L3"),
        ),
        "sta, token 2: srun sta -exit",
    ),
    (SessionAttached(session="sta", token=2, program=7), "sta, token 2: process 7 goes on"),
    (
        SessionClosed(session="sta", token=2, reason="exited", exit_code=3),
        "sta, token 2: exited, exit code 3",
    ),
    (SessionClosed(session="sta", token=2, reason="lost"), "sta, token 2: lost"),
    (
        SessionAckIgnored(session="sta", token=1, request_id="a.1.1", sha256="a" * 64),
        "sta, token 1: its ack to a.1.1 came too late",
    ),
    (
        IngestWritten(node="a", doc_path="docs/a.md", count=2, blocks=(BlockNote(0, 3, "a.py"),)),
        "docs/a.md: 2 blocks, first a.py",
    ),
    (
        IngestRejected(
            node="a", doc_path="docs/a.md", count=1, blocks=(BlockNote(0, 3, "../a", "traversal"),)
        ),
        "docs/a.md: 1 block, first ../a (traversal)",
    ),
    (IngestSkipped(node="a", doc_path="docs/a.md"), "docs/a.md: no block"),
    (
        IngestChecked(
            node="a",
            doc_path="docs/a.md",
            verdicts=(Verdict(check="syntax", allowed=False, reason="no", subject="a.py"),),
        ),
        "docs/a.md: 1 warning, a.py: no",
    ),
    (
        IngestFailed(node="a", doc_path="docs/a.md", error_type="STORAGE_FAILED", reason="full"),
        "docs/a.md: STORAGE_FAILED: full",
    ),
    (
        AnswerArrived(node="a", ack=Ack(request_id="a/1.1", status="ok", seconds=2)),
        "ok after 2.0s, before its turn",
    ),
    (
        AttemptLost(node="a", request_id="a/1.1", spent=Spent(seconds=2)),
        "2.0s of a/1.1 are lost",
    ),
    (
        QuestionAsked(
            node="a",
            request_id="a/1.1",
            question=Evidence.of_text("outbox/001_a_answer.md", ""),
            answer="inbox/a",
        ),
        "a/1.1 is asked: outbox/001_a_answer.md",
    ),
    (
        AnswerRefused(node="a", request_id="a/1.1", path="inbox/a.lost.1", reason="it is empty"),
        "it is empty; it is kept as inbox/a.lost.1",
    ),
    (PatchApplied(node="a", iteration=1), "round 1"),
    (PatchRejected(node="a", iteration=1, reason="it is empty"), "round 1: it is empty"),
    (VERIFY_STARTED(node="a", iteration=2, gate="lite"), "round 2, lite"),
    (VERIFY_PASSED(node="a", iteration=2, gate="full"), "round 2, full"),
    (VERIFY_FAILED(node="a", iteration=2, gate="lite", reason="no"), "round 2, lite: no"),
    (
        BUNDLE_CREATED(node="a", iteration=3, bundle=Evidence.of_text("failure_bundle.zip", "")),
        "round 3: failure_bundle.zip",
    ),
]


@pytest.mark.parametrize(("fact", "said"), SAID)
def test_a_fact_in_a_few_words(fact: AnyFact, said: str) -> None:
    assert detail(fact) == said


def test_no_fact_is_forgotten() -> None:
    told = {type(fact).__name__ for fact, _ in SAID}
    assert FACTS.keys() - told == {"PipelineStarted"}


def test_a_line() -> None:
    fact, _ = SAID[4]
    line = JournalLine(
        seq=12, ts="2026-01-31T10:15:00.000001Z", run_id="r1", level="error", role="tool",
        event="StageFailed", node="a", path="", data=msgspec.Raw(encode(fact)), prev=GENESIS,
    )  # fmt: skip
    assert journal_line(line) == Line(
        "   12  10:15:00.000001Z  StageFailed         a             fail: tool_exit_code_1", "bad"
    )

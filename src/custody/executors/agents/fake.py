"""An agent that answers from a record: the same answer every time, with real effects.

It is scripted by a book of recorded answers (``fake:PATH`` for the run, ``fake:NAME`` for the
sample answers to a packaged pipeline, or the node attribute ``test.response_file``, relative to
the workspace) and by the node attributes

    test.outcome                 how the stage ends: success, fail, retry or partial_success
    test.outcome_sequence        the same for the first call, the second, …; the last repeats
    test.notes                   what the agent says of its work
    test.verification_plan_json  a plan for the next verification stage

Its edits go through the same door as everybody's: a path that may not be written is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from custody.executors.agents import AgentType
from custody.executors.edits import apply_edit, refusal
from custody.executors.settings import Settings, setting
from custody.model import layout
from custody.model.answer import AnswerBook, FileEdit, RecordedAnswer
from custody.model.need import Need
from custody.model.outcome import OUTCOMES, OutcomeStatus
from custody.model.record import decode
from custody.model.relpath import RelPath
from custody.model.request import PLAN_KEY, Ack, AckStatus, AgentRequest
from custody.model.verdict import Verdict

if TYPE_CHECKING:
    from custody.executors import Stage

DEFAULT_TEXT = "Done.\n"
_ACK_STATUS: dict[OutcomeStatus, AckStatus] = {
    "success": "ok",
    "partial_success": "partial",
    "fail": "failed",
    "retry": "retry",
}


class FakeAgent:
    """Plays recorded answers."""

    def __init__(self, book: str = "") -> None:
        self._book_path = book
        self._book: AnswerBook | None = None

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Play the answer that belongs to this call."""
        answer = self._answer(request, stage)
        response = stage.folder.write(layout.RESPONSE, answer.text)
        refusals = tuple(
            verdict
            for edit in answer.edits
            if (verdict := _no_edit(request, edit) or refusal(edit, stage)) is not None
        )
        if refusals:
            return Ack(
                request_id=request.id,
                status="refused",
                failure_reason=f"path refused: {', '.join(v.subject for v in refusals)}",
                evidence=(response,),
                verdicts=refusals,
            )
        for edit in answer.edits:
            apply_edit(edit, stage)
        return Ack(
            request_id=request.id,
            status=_ACK_STATUS[answer.outcome],
            failure_reason="" if answer.outcome == "success" else answer.notes,
            notes=answer.notes,
            evidence=(response,),
            context_updates=answer.context_updates,
            usage=answer.usage,
        )

    def _answer(self, request: AgentRequest, stage: Stage) -> RecordedAnswer:
        """Return the recorded answer with the node's own script laid over it."""
        recorded = self._recorded(request, stage)
        script = request.settings
        updates = dict(recorded.context_updates)
        if plan := script.get("test.verification_plan_json"):
            updates[PLAN_KEY] = plan
        return RecordedAnswer(
            text=recorded.text,
            edits=recorded.edits,
            outcome=_scripted_outcome(script, request.call) or recorded.outcome,
            notes=script.get("test.notes", recorded.notes),
            context_updates=updates,
            usage=recorded.usage,
        )

    def _recorded(self, request: AgentRequest, stage: Stage) -> RecordedAnswer:
        if name := request.settings.get("test.response_file"):
            data = stage.workspace.root.read(RelPath.parse(name))
            book = decode(data, AnswerBook, where=name, any_text=True)
        elif self._book_path:
            book = self._load()
        else:
            return RecordedAnswer(text=DEFAULT_TEXT)
        return book.answer_to(stage.node, request.call) or RecordedAnswer(text=DEFAULT_TEXT)

    def _load(self) -> AnswerBook:
        if self._book is None:
            from custody.pipeline.library import sample_answers
            from custody.store.root import read_file

            data = sample_answers(self._book_path) or read_file(self._book_path)
            self._book = decode(data, AnswerBook, where=self._book_path, any_text=True)
        return self._book


def _no_edit(request: AgentRequest, edit: FileEdit) -> Verdict | None:
    """Return why an edit may not be made where a document is all that is asked for."""
    if not request.output_path:
        return None
    reason = "a stage that is asked for a document changes nothing else"
    subject = edit.path.encode(errors="backslashreplace").decode()
    return Verdict(
        check="writes", allowed=False, code="not_allowed", reason=reason, subject=subject
    )


def _scripted_outcome(script: dict[str, str], call: int) -> OutcomeStatus | None:
    sequence = script.get("test.outcome_sequence", script.get("test.outcome", ""))
    words = [word.strip() for word in sequence.split(",") if word.strip()]
    if not words:
        return None
    word = words[min(call, len(words)) - 1]
    return next(status for status in OUTCOMES if status == word)


def needs(book: str, _settings: Settings, _environment: Mapping[str, str]) -> Iterator[Need]:
    """Yield the book of answers; what lies in the workspace comes with it."""
    from custody.pipeline.library import sample_answers

    if book and sample_answers(book) is None:
        yield Need(kind="file", names=(book,), hint="fake:FILE, relative to the current folder")


AGENT = AgentType(
    name="fake",
    doc="Gives recorded answers, with real effects: for tests.",
    argument="ANSWERS",
    prefix="test",
    settings=(
        setting("outcome", "list", "How the stage ends.", choices=OUTCOMES),
        setting(
            "outcome_sequence",
            "list",
            "The same for the first call, the second, …; the last repeats.",
            choices=OUTCOMES,
        ),
        setting("notes", "string", "What the agent says of its work."),
        setting("response_file", "string", "Recorded answers, relative to the workspace."),
        setting(
            "verification_plan_json", "string", "A plan for the next verification stage, as JSON."
        ),
    ),
    make=lambda argument, _context: FakeAgent(argument),
    needs=needs,
    starts_programs=False,
    parallel=True,
    waits=False,
)

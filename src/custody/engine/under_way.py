"""What a run that has not ended was doing last, as far as its files show it."""

from __future__ import annotations

from functools import cached_property

from msgspec import UNSET

from custody.model import layout
from custody.model.event import StageStarted
from custody.model.letter_event import QuestionAsked
from custody.model.request import AgentRequest, AnyRequest, StepRequest, WriteRequest
from custody.model.verify_event import Announcement
from custody.patterns import later
from custody.store.history import History

_ATTEMPT = later(r"[0-9]{1,9}\.[0-9]{1,9}")
_REPLACED = frozenset(
    {
        layout.CHECKPOINT,
        layout.SUMMARY,
        layout.SUMMARY_PAGE,
        layout.PACKET,
        layout.PACKET_PAGE,
    }
)
"""Views that lag behind, or that tell of an earlier end until the next one replaces them."""


class UnderWay:
    """Knows which files no line can account for yet."""

    def __init__(self, history: History) -> None:
        self._history = history

    def holds(self, path: str) -> bool:
        """Whether a file belongs to work that is not recorded to its end."""
        if path in self._announced or path in _REPLACED:
            return True
        if layout.is_correspondence(path) or self._not_recorded_yet(path):
            return True
        return any(
            path.startswith(f"{layout.request_folder(asked.id)}/") or _may_write(asked, path)
            for asked in self._in_doubt
        )

    def may_miss(self, path: str) -> bool:
        """Whether a file that a line names may be yet to come: its attempt was broken off."""
        return path in self._unposted if layout.is_correspondence(path) else self.holds(path)

    @cached_property
    def _unposted(self) -> set[str]:
        """Questions that nobody was told to answer: the process ended before they were written."""
        if self._history.waiting is not None:
            return set()
        return {
            fact.question.path
            for asked in self._in_doubt
            for _, fact in self._history.lines_of(layout.node_of(asked.id))
            if isinstance(fact, QuestionAsked) and fact.request_id == asked.id
        }

    @cached_property
    def _announced(self) -> set[str]:
        """Documents of a fact that was written last: the process may have ended before them."""
        found: set[str] = set()
        for _, fact in self._history.lines_before(self._history.count):
            if isinstance(fact, StageStarted):
                break
            if isinstance(fact, Announcement):
                found |= {item.path for item in fact.documents}
        return found

    @cached_property
    def _in_doubt(self) -> list[AnyRequest]:
        """What was asked for and has no answer yet."""
        return self._history.open_requests()

    def _not_recorded_yet(self, path: str) -> bool:
        """Whether a file was given to an attempt before its first line was written."""
        node, _, number = layout.request_of(path.rpartition("/")[0]).partition("/")
        if not layout.is_attempt_file(path) or not _ATTEMPT.fullmatch(number):
            return False
        visit, _, attempt = number.partition(".")
        return (int(visit), int(attempt)) > self._last_attempt(node)

    def _last_attempt(self, node: str) -> tuple[int, int]:
        facts = (fact for _, fact in self._history.lines_of(node))
        started = ((one.visit, one.attempt) for one in facts if isinstance(one, StageStarted))
        return max(started, default=(0, 0))


def _may_write(request: AnyRequest, path: str) -> bool:
    """Whether a request may write a document."""
    match request:
        case WriteRequest():
            return path == request.document.path
        case AgentRequest():
            briefs = () if request.briefs is UNSET else request.briefs
            own = (request.output_path,) if request.output_path else ()
            return path in (*own, *(brief.path for brief in briefs))
        case StepRequest():
            return request.may_write(path)
        case _:
            return False

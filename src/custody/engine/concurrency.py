"""Requests that are carried out at the same time.

Only those are that cannot get in each other's way: an agent is asked for a document, works inside
this process, and says of itself that it may. All others have the workspace to themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock, Thread
from typing import TYPE_CHECKING

import msgspec

from custody.engine.ask import Asked, Told
from custody.engine.interruption import Interruption
from custody.engine.redaction import Redaction
from custody.errors import Interrupted
from custody.executors import Stage
from custody.model.event import AnyFact
from custody.model.journal_version import JournalVersion
from custody.model.request import Ack, AgentRequest, AnyRequest, Usage
from custody.store.rundir import AttemptFolder

if TYPE_CHECKING:
    from custody.executors.agents import AgentType

THREAD = "custody-agent"
"""Name of the threads that agents work in."""


class Work(msgspec.Struct):
    """One request with everything that carrying it out needs, and what came of it."""

    asked: Asked
    stage: Stage
    folder: AttemptFolder
    redaction: Redaction
    in_doubt: bool = False
    """Whether an earlier process may have begun to carry it out."""
    ack: Ack | None = None
    """What came of it; without secrets once it was cleaned."""
    used: Sequence[Usage] = ()
    """What the agent has told of its use on the way; the last holds."""
    failure: BaseException | None = None
    """What kept it from being carried out; it is raised when the answer is due."""

    @property
    def request(self) -> AnyRequest:
        """What is asked for."""
        return self.asked.request

    def clean(self) -> None:
        """Take the secrets out of what has just come."""
        if self.ack is not None:
            self.ack = self.redaction.ack(self.ack)

    def answer(self) -> Ack:
        """Return the ack; raises what kept the request from being carried out."""
        if self.failure is not None or self.ack is None:
            raise self.failure or RuntimeError(f"{self.request.id} was not carried out")
        return self.ack


class Telling:
    """Writes facts of several threads durably, one at a time, until it is closed."""

    def __init__(self, commit: Callable[[], None], version: JournalVersion) -> None:
        self._commit = commit
        self._version = version
        self._lock = Lock()
        self._closed = False

    def durably(self, tell: Told) -> Callable[[AnyFact], None]:
        """Return what writes a fact and makes it durable; raises `Interrupted` when too late.

        A fact that the journal's version does not know is not written.
        """

        def told(fact: AnyFact) -> None:
            if not self._version.knows(fact.traits.since):
                return
            with self._lock:
                if self._closed:
                    raise Interrupted("the run was left while this was under way")
                tell(fact)
                self._commit()

        return told

    def close(self) -> None:
        """Take no more: what is still at work has been given up."""
        with self._lock:
            self._closed = True


def side_by_side(asked: Asked, beside: Sequence[Asked]) -> list[Asked]:
    """Return the request, and those that may be carried out at the same time."""
    if not _leaves_others_alone(asked.request):
        return [asked]
    return [asked, *(each for each in beside if _leaves_others_alone(each.request))]


def carry_out(
    works: Sequence[Work],
    execute: Callable[[Work], Ack],
    interruption: Interruption,
    arrived: Callable[[Work], None],
) -> None:
    """Carry out requests and wait for all of them; each gets its ack or its failure.

    Agents that may wait inside this process work in threads. Of several, ``arrived`` is told of
    each when it has ended, in this thread. An interruption waits for none of them: those that have
    ended by then are told, the others are given up.
    """
    if len(works) > 1 or any(_waits(work.request) for work in works):
        _all_at_once(works, execute, interruption, arrived)
        return
    for work in works:
        try:
            with interruption.allowed():
                work.ack = execute(work)
        except KeyboardInterrupt:
            if work.ack is None:
                raise  # otherwise it came a moment before: the next wait is interrupted instead
        work.clean()


def _all_at_once(
    works: Sequence[Work],
    execute: Callable[[Work], Ack],
    interruption: Interruption,
    arrived: Callable[[Work], None],
) -> None:
    from contextvars import copy_context
    from queue import SimpleQueue

    ended: list[Work] = []
    news: SimpleQueue[None] = SimpleQueue()

    def carry_out_one(work: Work) -> None:
        try:
            work.ack = execute(work)
            work.clean()
        except BaseException as error:  # noqa: BLE001 - raised where its answer is due
            work.failure = error
        ended.append(work)
        news.put(None)

    for work in works:
        task = partial(copy_context().run, carry_out_one, work)
        Thread(target=task, name=THREAD, daemon=True).start()
    told = 0
    try:
        while told < len(works):
            with interruption.allowed():
                news.get()
            for work in ended[told:]:
                told += 1
                if len(works) > 1:
                    arrived(work)
    except KeyboardInterrupt:
        for work in ended[told:]:
            arrived(work)
        raise


def _leaves_others_alone(request: AnyRequest) -> bool:
    if not isinstance(request, AgentRequest) or not request.output_path:
        return False
    kind = _kind_inside(request)
    return kind is not None


def _waits(request: AnyRequest) -> bool:
    """Whether an agent inside this process may wait for long, and not hear of an interruption."""
    if not isinstance(request, AgentRequest):
        return False
    kind = _kind_inside(request)
    return kind is not None and kind.waits


def _kind_inside(request: AgentRequest) -> AgentType | None:
    """Return what is known of an agent that works inside this process, beside others."""
    from custody.executors.registry import agent_type

    kind = agent_type(request.agent)
    return kind if kind is not None and kind.parallel and not kind.starts_programs else None

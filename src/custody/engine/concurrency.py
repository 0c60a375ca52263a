"""Requests that are carried out at the same time.

Only those are that cannot get in each other's way: an agent is asked for a document, works inside
this process, and says of itself that it may. All others have the workspace to themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from custody.engine.ask import Asked
from custody.engine.redaction import Redaction
from custody.executors import Stage
from custody.model.request import Ack, AgentRequest, AnyRequest
from custody.store.rundir import AttemptFolder


class Work(msgspec.Struct):
    """One request with everything that carrying it out needs, and what came of it."""

    request: AnyRequest
    stage: Stage
    folder: AttemptFolder
    redaction: Redaction
    in_doubt: bool = False
    """Whether an earlier process may have begun to carry it out."""
    ack: Ack | None = None
    failure: BaseException | None = None
    """What kept it from being carried out; it is raised when the answer is due."""

    def answer(self) -> Ack:
        """Return the ack, without secrets."""
        if self.failure is not None or self.ack is None:
            raise self.failure or RuntimeError(f"{self.request.id} was not carried out")
        return self.redaction.ack(self.ack)


def side_by_side(asked: Asked, beside: Sequence[Asked]) -> list[Asked]:
    """Return the request, and those that may be carried out at the same time."""
    if not _leaves_others_alone(asked.request):
        return [asked]
    return [asked, *(each for each in beside if _leaves_others_alone(each.request))]


def carry_out(works: Sequence[Work], execute: Callable[[Work], Ack]) -> None:
    """Carry out requests and wait for all of them; each gets its ack or its failure."""
    if len(works) == 1:
        works[0].ack = execute(works[0])
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(works), thread_name_prefix="custody-item") as threads:
        futures = [threads.submit(execute, work) for work in works]
        for work, future in zip(works, futures, strict=True):
            work.failure = future.exception()
            work.ack = None if work.failure else future.result()


def _leaves_others_alone(request: AnyRequest) -> bool:
    if not isinstance(request, AgentRequest) or not request.output_path:
        return False
    from custody.executors.registry import agent_type

    kind = agent_type(request.agent)
    return kind is not None and kind.parallel and not kind.starts_programs

"""The stages of a list: several walks through one pipeline, in order or some at the same time.

At most ``at_once`` items are under way. Each is taken to what it must ask for next; when all of
them are there, the requests are due together; then each takes its answer and goes on, in the
order of the items. One that has ended makes room for the next at once. Which fact follows which
is therefore decided by the facts alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from custody.engine.ask import Asked, Round, Steps
from custody.model.outcome import Outcome
from custody.model.record import Record, encode

RESULTS_LIMIT = 1 << 20
"""Bytes that the results of a list may have in the context."""
_NAMED = 10
"""How many failed items a reason names."""


class ItemResult(Record, frozen=True):
    """What came of one item."""

    outcome: str
    """``success`` or ``fail``."""
    reason: str
    context: Mapping[str, Any]
    """What its stages put into the context."""


def work_through(
    count: int, at_once: int, walk: Callable[[int], Steps[ItemResult]]
) -> Steps[list[ItemResult]]:
    """Walk through every item, from 1 on; return what came of each."""
    results: dict[int, ItemResult] = {}
    under_way: dict[int, tuple[Steps[ItemResult], tuple[Asked, ...]]] = {}
    waiting = iter(range(1, count + 1))

    def advance(index: int, steps: Steps[ItemResult], turn: Round | None) -> None:
        try:
            due = next(steps) if turn is None else steps.send(turn)
            under_way[index] = steps, due
        except StopIteration as ended:
            under_way.pop(index, None)
            results[index] = ended.value

    def fill() -> None:
        while len(under_way) < at_once and (index := next(waiting, 0)):
            advance(index, walk(index), None)

    fill()
    while under_way:
        turn = yield tuple(asked for _, due in under_way.values() for asked in due)
        for index, (steps, _) in list(under_way.items()):
            advance(index, steps, turn)
            fill()
    return [results[index] for index in sorted(results)]


def outcome_of(name: str, results: Sequence[ItemResult], *, counted: bool = True) -> Outcome:
    """Return what the items mean for the stage; they are kept under ``<name>.results``.

    Reasons name stages and limits, which are no agent's business: the next one is told how many
    items failed, unless they are not ``counted``.
    """
    failed = [index for index, each in enumerate(results, 1) if each.outcome == "fail"]
    updates: dict[str, Any] = {f"{name}.results": [_told(each) for each in results]}
    size = len(encode(updates))
    if size > RESULTS_LIMIT:
        reason = f"the results of the items have {size} bytes: {RESULTS_LIMIT} is most"
        return Outcome(status="fail", failure_reason=reason)
    if not failed:
        return Outcome(status="success", context_updates=updates)
    shown = "; ".join(f"item {index}: {results[index - 1].reason}" for index in failed[:_NAMED])
    more = f"; and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
    count = f"{len(failed)} of {len(results)} items failed"
    return Outcome(
        status="fail",
        failure_reason=f"{count}: {shown}{more}",
        failure_summary=count if counted else "",
        context_updates=updates,
    )


def _told(result: ItemResult) -> dict[str, Any]:
    return {"outcome": result.outcome, "reason": result.reason, "context": dict(result.context)}

"""Whether a stage is tried again, and what its last attempt means. Pure.

- ``max_retries = n`` gives n + 1 attempts.
- ``retry`` and ``fail`` are tried again; a refusal by a guard never is.
- When the attempts are used up: ``allow_partial=true`` makes it ``partial_success``;
otherwise it fails, with the reason ``retry_exhausted`` once it has been retried.
- The delay doubles with each attempt up to a limit, and its spread comes from the run, the
node and the attempt, not from a clock.
"""

from __future__ import annotations

import hashlib

import msgspec

from custody.model.graph import Node
from custody.model.outcome import Outcome

DEFAULT_DELAY = 1.0
MAX_DELAY = 60.0
EXHAUSTED = "retry_exhausted"


# BEHAVIOR_ID: B002
def may_retry(node: Node, attempt: int, outcome: Outcome) -> bool:
    """Tell whether another attempt follows this one."""
    if outcome.refused or outcome.status not in ("retry", "fail"):
        return False
    return attempt <= node.integer("max_retries", 0)


def delay(run_id: str, node: Node, attempt: int) -> float:
    """Return how many seconds to wait before the attempt after ``attempt``."""
    base = node.seconds("retry_delay", DEFAULT_DELAY)
    digest = hashlib.sha256(f"{run_id}/{node.id}/{attempt}".encode()).digest()
    spread = 0.5 + digest[0] / 510
    return round(min(base * 2.0 ** (attempt - 1), MAX_DELAY) * spread, 3)


def settle(node: Node, attempt: int, outcome: Outcome) -> Outcome:
    """Return what the last attempt's outcome means for the stage."""
    if outcome.refused or outcome.status not in ("retry", "fail"):
        return outcome
    if node.flag("allow_partial"):
        return msgspec.structs.replace(outcome, status="partial_success")
    retried = attempt > 1 or outcome.status == "retry"
    reason = EXHAUSTED if retried else outcome.failure_reason
    summary = outcome.failure_summary or (outcome.failure_reason if retried else "")
    return msgspec.structs.replace(
        outcome, status="fail", failure_reason=reason, failure_summary=summary
    )

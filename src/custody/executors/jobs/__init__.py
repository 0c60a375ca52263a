"""What the steps of a skill job share: its tool as a session, and what that says.

A job has one tool for its whole life. It is opened by the state that is there for it, is found
again by the states after it, and is never opened twice: what it has loaded would be gone.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps

from msgspec.structs import replace

from custody.errors import CustodyError, StorageFailed
from custody.executors.steps import StepWork
from custody.model.request import Ack
from custody.model.skill.error_type import ErrorType, told
from custody.skills.tools import SESSION

__all__ = ["FAULT", "SESSION", "failed", "faultless", "utc_now"]

FAULT = "fault.txt"
"""What of an attempt tells of a mistake of custody's own."""


def utc_now() -> str:
    """Return the time as the documents of a job have it: ISO 8601, UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def failed(step: StepWork, error: ErrorType, what: str, summary: str = "") -> Ack:
    """Return the ack of a step that has failed, with the documents that it wrote until then."""
    return replace(
        step.done(), status="failed", failure_reason=told(error, what), failure_summary=summary
    )


def faultless(work: Callable[[StepWork], Ack]) -> Callable[[StepWork], Ack]:
    """Let a mistake in a step fail the job as ``INTERNAL_ERROR``, and not leave it under way.

    So does a file that cannot be written, for as long as the run itself can be. What else
    `custody.errors` knows passes: the engine deals with it.
    """

    @wraps(work)
    def carry_out(step: StepWork) -> Ack:
        try:
            return work(step)
        except StorageFailed as error:
            return _at_fault(step, str(error))
        except CustodyError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the job must end and say so
            return _at_fault(step, f"{type(error).__name__}: {error}")

    return carry_out


def _at_fault(step: StepWork, what: str) -> Ack:
    """Return the ack of a step that an error has ended, which is being handled."""
    import traceback

    kept = step.stage.folder.write(FAULT, traceback.format_exc())
    ack = failed(step, "INTERNAL_ERROR", what)
    return replace(ack, evidence=(*ack.evidence, kept))

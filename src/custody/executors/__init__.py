"""What answers a request. This is the only package that acts on the world outside.

An executor takes a request that has passed its guards, does what it asks for, and says what
happened. It never decides what happens next, and it never raises for a failure of the work
itself: that is an ack too. `StorageFailed` and `Interrupted` do pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from custody.model.event import AnyFact
from custody.model.request import Ack, AnyRequest

if TYPE_CHECKING:
    from custody.sandbox.stage import Stage

__all__ = ["Executor", "Stage"]


class Executor(Protocol):
    """Does what one kind of request asks for."""

    def execute(self, request: AnyRequest, stage: Stage) -> Ack:
        """Do it and say what happened."""
        ...

    def recover(self, request: AnyRequest, stage: Stage) -> Ack | None:
        """Return what has come of a request that an earlier process began; None to do it anew.

        It is asked for a request in doubt: one that was handed to an executor, and has no answer.
        """
        ...

    def leave(self, reason: str, tell: Callable[[AnyFact], None]) -> None:
        """End what stays between requests: the run ends, or this process leaves it.

        What is told is durable when ``tell`` returns.
        """
        ...


def __getattr__(name: str) -> object:
    """Load `Stage` when it is asked for: whoever reads a pipeline only needs no sandbox."""
    if name != "Stage":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from custody.sandbox.stage import Stage

    return Stage

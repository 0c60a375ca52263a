"""What answers a request. This is the only package that acts on the world outside.

An executor takes a request that has passed its guards, does what it asks for, and says what
happened. It never decides what happens next, and it never raises for a failure of the work
itself: that is an ack too. `StorageFailed` and `Interrupted` do pass.
"""

from __future__ import annotations

from typing import Protocol

from custody.model.request import Ack, AnyRequest
from custody.sandbox.stage import Stage


class Executor(Protocol):
    """Does what one kind of request asks for."""

    def execute(self, request: AnyRequest, stage: Stage) -> Ack:
        """Do it and say what happened."""
        ...


__all__ = ["Executor", "Stage"]

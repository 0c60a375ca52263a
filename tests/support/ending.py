"""A process that ends right before it writes a fact, as far as the run can tell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from custody.engine.recording import Recording
from custody.model.event import AnyFact


class Killed(BaseException):
    """Ends the process."""


@contextmanager
def ends_before(kind: type[AnyFact], node: str) -> Iterator[None]:
    """Expect the block to be ended before a fact of that kind and node is written."""
    write = Recording.write

    def dies(self: Recording, *facts: AnyFact, role: str = "engine", path: str = "") -> None:
        if any(isinstance(fact, kind) and getattr(fact, "node", "") == node for fact in facts):
            raise Killed
        write(self, *facts, role=role, path=path)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Recording, "write", dies)
        with pytest.raises(Killed):
            yield

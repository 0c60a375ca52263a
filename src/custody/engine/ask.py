"""Requests that are due together, and the world that carries them out.

The engine never waits for an answer by itself: whoever needs one yields what must be asked for
and is sent a `Round`, from which it takes the answer when its turn has come. So the order of the
facts is the same whether the requests were carried out one after the other or at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from custody.engine.recording import Recording
from custody.model.change import Change
from custody.model.event import AnyIngestFact, RequestAnswered
from custody.model.evidence import Evidence
from custody.model.graph import Node
from custody.model.request import AnyRequest


class Asked(NamedTuple):
    """One request, and whose it is."""

    node: Node
    visit: int
    attempt: int
    request: AnyRequest


Answer = tuple[RequestAnswered, tuple[Change, ...]]
Told = Callable[[AnyIngestFact], None]
"""Takes what happened on the way to an answer; it is written before the answer is."""


class World(Protocol):
    """What lies outside the decisions: `effects.Effects` acts, a replay only remembers."""

    def perform(
        self, asked: Asked, beside: tuple[Asked, ...], commit: Callable[[], None], tell: Told
    ) -> Answer:
        """Carry out a request, once `commit` has made it durable.

        Those of ``beside`` are due as well, and may be carried out at the same time.
        """
        ...

    def recorded_changes(self, answered: RequestAnswered) -> tuple[Change, ...]:
        """Return what a recorded stage changed."""
        ...

    def document(self, written: Evidence) -> bytes:
        """Return what a document held when it was written."""
        ...

    def accept(self, changes: tuple[Change, ...]) -> None:
        """Take the changes of a stage as part of the work."""
        ...

    def roll_back(self) -> None:
        """Undo what a refused stage did."""
        ...

    def wait(self, seconds: float) -> None:
        """Let time pass before another attempt."""
        ...


class Round:
    """What is due at one time."""

    def __init__(self, due: tuple[Asked, ...], recording: Recording, world: World) -> None:
        self._due = {asked.request.id: asked for asked in due}
        self._recording = recording
        self._world = world

    def answer(self, asked: Asked) -> Answer:
        """Return the answer: the recorded one, or one that is recorded now."""
        request = asked.request
        del self._due[request.id]
        recorded = self._recording.answer(request.id)
        if recorded is not None:
            return recorded, self._world.recorded_changes(recorded)
        write = partial(self._recording.write, role=asked.node.type, path=f"nodes/{request.id}")
        beside = tuple(self._due.values())
        answered, changes = self._world.perform(asked, beside, self._recording.commit, write)
        write(answered)
        return answered, changes


_T = TypeVar("_T")
Steps = Generator[tuple[Asked, ...], Round, _T]
"""Work that stops whenever something must be asked for."""


def go(steps: Steps[_T], recording: Recording, world: World) -> _T:
    """Take steps to their end, round by round."""
    try:
        due = next(steps)
        while True:
            due = steps.send(Round(due, recording, world))
    except StopIteration as ended:
        result: _T = ended.value
        return result

"""Requests that are due together, and the world that carries them out.

The engine never waits for an answer by itself: whoever needs one yields what must be asked for
and is sent a `Round`, from which it takes the answer when its turn has come. So the order of the
facts is the same whether the requests were carried out one after the other or at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from custody.engine.recording import Recording
from custody.model import layout
from custody.model.change import WorkspaceDiff
from custody.model.event import AnyFact, RequestAnswered
from custody.model.evidence import Evidence
from custody.model.graph import Node
from custody.model.request import Ack, AnyRequest

if TYPE_CHECKING:
    from custody.sandbox.stage import StageSandbox


class Asked(msgspec.Struct, frozen=True):
    """One request, and whose it is."""

    node: Node
    request: AnyRequest


class Performed(msgspec.Struct, frozen=True):
    """A request that was answered, and what `World.accept` or `World.roll_back` needs to know."""

    answered: RequestAnswered
    diff: WorkspaceDiff
    sandbox: StageSandbox | None = None
    """What the attempt worked in; None for one that is only remembered."""


Told = Callable[[AnyFact], None]
"""Takes what happened on the way to an answer; it is written before the answer is."""
TellOf = Callable[[Asked], Told]
"""Gives what takes the facts about one request."""
Accepts = Callable[[Ack, WorkspaceDiff], bool]
"""Tells whether what was done so far passes the gates."""


class World(Protocol):
    """What lies outside the decisions: `effects.Effects` acts, a replay only remembers."""

    def begin(self, request: AnyRequest) -> None:
        """Make durable what a request is given, before the line that names it can be."""
        ...

    def perform(
        self,
        asked: Asked,
        beside: tuple[Asked, ...],
        commit: Callable[[], None],
        accepts: Accepts,
        tell_of: TellOf,
    ) -> Performed:
        """Carry out a request, once `commit` has made it durable.

        Those of ``beside`` are due as well, and may be carried out at the same time. What an
        answer becomes beyond itself, such as a document, it becomes only if ``accepts`` says so.
        """
        ...

    def recorded(self, request: AnyRequest, answered: RequestAnswered) -> Performed:
        """Return what is remembered of a request that was answered before."""
        ...

    def read(self, evidence: Evidence) -> bytes:
        """Return the bytes of evidence; raises `BlobDamaged` when they are lost."""
        ...

    def content(self, sha256: str) -> bytes:
        """Return the bytes of a blob; raises `BlobDamaged` when they are lost."""
        ...

    def document(self, written: Evidence) -> bytes:
        """Return what a document held when it was written."""
        ...

    def give_up(self, asked: Asked) -> None:
        """Leave a request that is not carried out again; what was left of it does not count."""
        ...

    def announce(self, documents: tuple[Evidence, ...], commit: Callable[[], None]) -> None:
        """Write documents of a fact, each when `commit` has made the fact durable."""
        ...

    def accept(self, performed: Performed) -> None:
        """Take the changes of an attempt as part of the work."""
        ...

    def roll_back(self, performed: Performed) -> None:
        """Undo what a refused attempt did."""
        ...

    def wait(self, seconds: float) -> None:
        """Let time pass before another attempt."""
        ...

    def leave(self, reason: str, tell: Told) -> None:
        """End what stays between requests: the run ends, or this process leaves it."""
        ...


class Round:
    """What is due at one time."""

    def __init__(self, due: tuple[Asked, ...], recording: Recording, world: World) -> None:
        self._due = {asked.request.id: asked for asked in due}
        self._recording = recording
        self._world = world

    def answer(self, asked: Asked, accepts: Accepts) -> Performed:
        """Return the answer: the recorded one, or one that is recorded now."""
        request = asked.request
        del self._due[request.id]
        recorded = self._recording.answer(request.id)
        if recorded is not None:
            return self._world.recorded(request, recorded)
        beside = tuple(self._due.values())
        commit = self._recording.commit
        performed = self._world.perform(asked, beside, commit, accepts, self._tell_of)
        self._tell_of(asked)(performed.answered)
        if performed.answered.ack.usage is not None:
            commit()  # it is paid for: nothing that follows may lose it
        return performed

    def give_up(self, asked: Asked) -> None:
        """Carry a request out no more: what it may spend is spent."""
        del self._due[asked.request.id]
        if self._recording.live:
            self._world.give_up(asked)

    def _tell_of(self, asked: Asked) -> Told:
        path = layout.request_folder(asked.request.id)
        return partial(self._recording.write, role=asked.node.type, path=path)


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

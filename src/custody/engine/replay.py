"""Proving a run: the recorded answers must lead to the recorded decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from custody.engine.ask import Asked, Performed, Told
from custody.engine.loop import Engine
from custody.engine.recording import Recording, RecordingEnded
from custody.errors import ReplayDiverged
from custody.model.event import Heard, RequestAnswered
from custody.model.evidence import Evidence
from custody.model.fact import RunStatus
from custody.model.graph import Pipeline
from custody.model.record import Record
from custody.model.request import AnyRequest
from custody.store.history import History


class Replay(Record, frozen=True):
    """What came of playing a journal again."""

    facts: int
    """How many recorded facts were reached again, byte for byte."""
    agreed_seq: int
    """The last journal line up to which whole stages agree."""
    status: RunStatus
    """RUNNING when the journal stops before the run's end."""
    divergence: str = ""
    """Where and how it went another way; empty when it did not."""


# BEHAVIOR_ID: B009
class Remembered:
    """The world of a replay: answers are read, nothing is done."""

    def __init__(self, history: History) -> None:
        self._history = history
        self.read = history.run.read_evidence
        self.content = history.run.blobs.get
        self.document = history.run.document

    def begin(self, request: AnyRequest) -> None:
        """Leave everything as it is."""

    def perform(self, *_request: object) -> Performed:
        """End the replay: from here on nothing is recorded."""
        raise RecordingEnded

    def recorded(self, _request: object, answered: RequestAnswered) -> Performed:
        """Return what is remembered of a request."""
        return Performed(answered, self._history.diff_of(answered))

    def give_up(self, asked: Asked) -> None:
        """Leave everything as it is."""

    def announce(self, documents: tuple[Evidence, ...], commit: Callable[[], None]) -> None:
        """Leave everything as it is."""

    def accept(self, performed: Performed) -> None:
        """Leave everything as it is."""

    def roll_back(self, performed: Performed) -> None:
        """Leave everything as it is."""

    def wait(self, seconds: float) -> None:
        """Lose no time."""

    def leave(self, reason: str, tell: Told) -> None:
        """Leave everything as it is."""


def replay(history: History, pipeline: Pipeline) -> Replay:
    """Play a run's journal again, touching nothing; raises `ReplayDiverged`."""
    played = play(history, pipeline, history.lines())
    if played.divergence:
        raise ReplayDiverged(played.divergence, where=history.run.run_id)
    return played


def play(history: History, pipeline: Pipeline, lines: Iterable[Heard]) -> Replay:
    """Take the engine over recorded lines for as long as they agree."""
    recording = Recording(lines, None, version=history.version)
    engine = Engine(pipeline, recording, Remembered(history))
    divergence = ""
    try:
        with suppress(RecordingEnded):  # a run that was left ends before its end
            engine.run(history.genesis)
            recording.expect_end()
    except ReplayDiverged as diverged:
        divergence = str(diverged)
    return Replay(
        facts=recording.played,
        agreed_seq=recording.agreed_seq,
        status=engine.state.status,
        divergence=divergence,
    )

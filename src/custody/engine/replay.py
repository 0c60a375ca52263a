"""Proving a run: the recorded answers must lead to the recorded decisions."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from custody.engine.loop import Engine
from custody.engine.recording import Recording, RecordingEnded
from custody.engine.records import Records, Remembered
from custody.errors import ReplayDiverged
from custody.model.event import JournalLine
from custody.model.fact import RunStatus
from custody.model.graph import Pipeline
from custody.model.record import Record


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


def replay(records: Records, pipeline: Pipeline) -> Replay:
    """Play a run's journal again, touching nothing; raises `ReplayDiverged`."""
    played = play(records, pipeline, records.lines())
    if played.divergence:
        raise ReplayDiverged(played.divergence, where=records.run.run_id)
    return played


def play(records: Records, pipeline: Pipeline, lines: Iterable[JournalLine]) -> Replay:
    """Take the engine over recorded lines for as long as they agree."""
    recording = Recording(lines, None)
    engine = Engine(pipeline, recording, Remembered(records))
    divergence = ""
    try:
        with suppress(RecordingEnded):  # a run that was left ends before its end
            engine.run(records.genesis)
            recording.expect_end()
    except ReplayDiverged as diverged:
        divergence = str(diverged)
    return Replay(
        facts=recording.played,
        agreed_seq=recording.agreed_seq,
        status=engine.state.status,
        divergence=divergence,
    )

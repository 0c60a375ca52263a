"""What a run directory remembers, read without touching anything."""

from __future__ import annotations

from collections.abc import Iterator

from custody.engine.tape import TapeEnded, effective
from custody.errors import JournalBroken
from custody.handlers import catalog
from custody.model.change import Change, WorkspaceDiff
from custody.model.event import (
    AnyFact,
    JournalLine,
    PipelineReplaced,
    PipelineStarted,
    RequestAnswered,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.graph import Pipeline
from custody.model.record import decode
from custody.pipeline.read import load_pipeline
from custody.store.journal import read_lines
from custody.store.rundir import RunDirectory

PIPELINE_NAME = "pipeline.dot"


def lines(run: RunDirectory) -> Iterator[JournalLine]:
    """Yield the journal lines that still count."""
    return effective(lambda: read_lines(run.root, run_id=run.run_id, torn_ok=True))


def genesis(run: RunDirectory) -> PipelineStarted:
    """Return the first fact of a run."""
    for line in read_lines(run.root, run_id=run.run_id, torn_ok=True):
        fact = line.fact()
        if isinstance(fact, PipelineStarted):
            return fact
        break
    raise JournalBroken("genesis", "the journal does not begin with PipelineStarted", line=1)


def evidence_of(fact: AnyFact) -> tuple[Evidence, ...]:
    """Return the files of the run directory that a fact names."""
    if isinstance(fact, StageStarted) and fact.request is not None:
        return fact.request.given()
    if isinstance(fact, RequestAnswered):
        return (*fact.ack.evidence, fact.diff)
    return ()


def recorded_changes(run: RunDirectory, answered: RequestAnswered) -> tuple[Change, ...]:
    """Return what a recorded stage changed."""
    data = run.read_evidence(answered.diff)
    return decode(data, WorkspaceDiff, where=answered.diff.path).changes


def recorded_pipeline(run: RunDirectory) -> Pipeline:
    """Return the pipeline that the run is of; its hash must be the journal's."""
    expected = genesis(run).pipeline_sha256
    for line in lines(run):
        fact = line.fact() if line.event == PipelineReplaced.__name__ else None
        if isinstance(fact, PipelineReplaced):
            expected = fact.new_sha256
    source = run.root.read(PIPELINE_NAME)
    pipeline = load_pipeline(source, catalog(), where=f"{run.path}/{PIPELINE_NAME}")
    if pipeline.sha256 != expected:
        raise JournalBroken(
            "pipeline_mismatch", f"{PIPELINE_NAME} is not the pipeline of this run", where=run.path
        )
    return pipeline


class Remembered:
    """The world of a replay: answers are read, nothing is done."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run

    def perform(self, *_request: object) -> tuple[RequestAnswered, tuple[Change, ...]]:
        """End the replay: from here on nothing is recorded."""
        raise TapeEnded

    def recorded_changes(self, answered: RequestAnswered) -> tuple[Change, ...]:
        """Return what a recorded stage changed."""
        return recorded_changes(self._run, answered)

    def accept(self, changes: tuple[Change, ...]) -> None:
        """Leave everything as it is."""

    def roll_back(self) -> None:
        """Leave everything as it is."""

    def wait(self, seconds: float) -> None:
        """Lose no time."""

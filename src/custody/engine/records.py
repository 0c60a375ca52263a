"""What a run directory remembers, read without touching anything."""

from __future__ import annotations

from collections.abc import Iterator

from custody.engine.ask import Performed
from custody.engine.recording import RecordingEnded
from custody.errors import JournalBroken
from custody.handlers import catalog
from custody.model import layout
from custody.model.change import Change, Layer, WorkspaceDiff
from custody.model.confinement import ChosenLevel
from custody.model.event import (
    GuardrailViolation,
    JournalLine,
    PipelineStarted,
    RequestAnswered,
    StageStarted,
)
from custody.model.graph import Pipeline
from custody.model.process_event import PipelineReplaced
from custody.model.record import decode
from custody.pipeline.read import load_pipeline
from custody.pipeline.subpipeline_files import Source
from custody.store.journal import read_lines
from custody.store.rundir import RunDirectory


class Records:
    """The journal of one run, surveyed once."""

    def __init__(self, run: RunDirectory) -> None:
        self.run = run
        self.genesis, self._replaced = _survey(run)

    @property
    def confinement(self) -> ChosenLevel | None:
        """How the run's programs are confined; None when it has not started any."""
        later = [fact.confinement for _, fact in self._replaced if fact.confinement is not None]
        return later[-1] if later else self.genesis.confinement

    @property
    def pipeline_sha256(self) -> str:
        """Of the pipeline that the run is of by now."""
        return self._replaced[-1][1].new_sha256 if self._replaced else self.genesis.pipeline_sha256

    def lines(self) -> Iterator[JournalLine]:
        """Yield the lines that still count: not those that a changed pipeline set aside."""
        for line in read_lines(self.run.root, run_id=self.run.run_id, torn_ok=True):
            if not any(fact.kept_seq < line.seq < at for at, fact in self._replaced):
                yield line

    def changes_of(self, answered: RequestAnswered) -> tuple[Change, ...]:
        """Return what a recorded stage changed."""
        return self.diff_of(answered).changes

    def layers(self) -> dict[str, Layer | None]:
        """Return the requests that were answered; for each that was refused, its layer."""
        layers: dict[str, Layer | None] = {}
        last: RequestAnswered | None = None
        for line in self.lines():
            fact = line.fact()
            if isinstance(fact, RequestAnswered):
                last = fact
                layers[fact.ack.request_id] = None
            elif isinstance(fact, StageStarted):
                last = None
            elif isinstance(fact, GuardrailViolation) and last is not None:
                layers[last.ack.request_id] = self.diff_of(last).layer or None
        return layers

    def diff_of(self, answered: RequestAnswered) -> WorkspaceDiff:
        """Return everything about what a recorded stage changed."""
        data = self.run.read_evidence(answered.diff)
        return decode(data, WorkspaceDiff, where=answered.diff.path)

    @property
    def parts(self) -> dict[str, str]:
        """The sha256 of every part of that pipeline, by the name it is kept under."""
        return self._replaced[-1][1].parts if self._replaced else self.genesis.parts

    def pipeline(self) -> Pipeline:
        """Return the pipeline that the run is of.

        Its source is kept as a blob, so the file in the run directory may be that of an earlier
        moment, but it may not be one that the run never had.
        """
        import hashlib

        had = {self.genesis.pipeline_sha256, *(fact.new_sha256 for _, fact in self._replaced)}
        shown = hashlib.sha256(self.run.root.read(layout.PIPELINE)).hexdigest()
        if shown not in had:
            raise JournalBroken(
                "pipeline_mismatch",
                f"{layout.PIPELINE} is not the pipeline of this run",
                where=self.run.path,
            )
        source = self.run.blobs.get(self.pipeline_sha256)
        where = f"{self.run.path}/{layout.PIPELINE}"
        return load_pipeline(source, catalog(), where, self._part)

    def _part(self, name: str) -> Source:
        if name not in self.parts:
            raise JournalBroken("pipeline_mismatch", f"the run has no part {name!r}")
        sha256 = self.parts[name]
        return Source(self.run.blobs.get(sha256), f"{self.run.path}/{name}")


class Remembered:
    """The world of a replay: answers are read, nothing is done."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self.read = records.run.read_evidence
        self.content = records.run.blobs.get
        self.document = records.run.document

    def perform(self, *_request: object) -> Performed:
        """End the replay: from here on nothing is recorded."""
        raise RecordingEnded

    def recorded(self, answered: RequestAnswered) -> Performed:
        """Return what is remembered of a request."""
        return Performed(answered, self._records.diff_of(answered))

    def accept(self, performed: Performed) -> None:
        """Leave everything as it is."""

    def roll_back(self, performed: Performed) -> None:
        """Leave everything as it is."""

    def wait(self, seconds: float) -> None:
        """Lose no time."""


def _survey(run: RunDirectory) -> tuple[PipelineStarted, list[tuple[int, PipelineReplaced]]]:
    """Return the first fact, and every change of the pipeline with the line it stands in."""
    started: PipelineStarted | None = None
    replaced: list[tuple[int, PipelineReplaced]] = []
    for line in read_lines(run.root, run_id=run.run_id, torn_ok=True):
        if line.event in _SURVEYED:
            fact = line.fact()
            if isinstance(fact, PipelineStarted):
                started = fact
            elif isinstance(fact, PipelineReplaced):
                replaced.append((line.seq, fact))
    if started is None:
        raise JournalBroken("genesis", "the journal does not begin with PipelineStarted", line=1)
    return started, replaced


_SURVEYED = (PipelineStarted.__name__, PipelineReplaced.__name__)

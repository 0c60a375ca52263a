"""What every kind of fact says about itself.

Whoever deals with facts (the fold of the state, a replay, a fork, the views, the terminal) asks
for these traits instead of listing kinds, so that a new kind is complete in its own class.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from custody.model.evidence import Evidence
from custody.model.record import Record

About = Literal["run", "stage", "attempt"]
Level = Literal["info", "warning", "error"]
RunStatus = Literal["RUNNING", "PASS", "FAIL"]
TraceName = Literal[
    "SessionInitialized",
    "ResumeLoaded",
    "NodeInputCaptured",
    "NodeOutputCaptured",
    "NodeExecutionErrored",
    "RouteEvaluated",
]


class Traits(Record, frozen=True):
    """What is to be known of one kind of fact.

    The first four have no answer that would be right unasked: each kind must say them.
    """

    about: About
    """What it tells of: the run, one visit of a node (a stage), or one try at it (an attempt)."""
    changes_state: bool
    """Whether the fold of the facts takes it into account."""
    traced_as: TraceName | None
    """The record that ``trace.jsonl`` has of it; None when it has none."""
    shown_live: bool
    """Whether somebody who watches the run is told of it in a line of its own."""
    level: Level = "info"
    decision: bool = True
    """Whether a replay must produce it again; others are passed over then."""
    shared_by_fork: bool = True
    """Whether a run that is forked after it has it as well."""
    boundary: bool = False
    """Whether its stage is no longer under way: a changed pipeline may take over here."""
    ends_run: RunStatus | None = None
    """How the run has ended with it; None when it goes on."""
    last_word: bool = False
    """Whether no process is at work after it, unless another line follows."""
    since: str = "1.0"
    """The first version of the journal that knows it; into older ones it is not written."""
    waiting: Literal["begins", "ends"] | None = None
    """Whether the run waits for a person from here on, or no longer; None says neither."""


class Fact(Record, frozen=True, omit_defaults=True):
    """Something that happened, once, and stays true."""

    traits: ClassVar[Traits]

    def evidence(self) -> tuple[Evidence, ...]:
        """Return the files of the run directory that it names."""
        return ()

"""The facts about who carries a run on, and with what: none of them is a decision of the engine."""

from __future__ import annotations

from typing import ClassVar

from custody.model.confinement import ChosenLevel
from custody.model.fact import Fact, Traits
from custody.model.request import Spent


class RunInterrupted(Fact, frozen=True):
    """The process was told to end; the run can be resumed."""

    traits: ClassVar[Traits] = Traits(
        about="run",
        changes_state=False,
        traced_as=None,
        shown_live=False,
        level="warning",
        decision=False,
        shared_by_fork=False,
        last_word=True,
    )
    reason: str


class RunWaiting(Fact, frozen=True):
    """The process ended because a person must answer first; the run can be resumed then."""

    traits: ClassVar[Traits] = Traits(
        about="run",
        changes_state=False,
        traced_as=None,
        shown_live=False,
        decision=False,
        shared_by_fork=False,
        last_word=True,
        waiting="begins",
    )
    node: str
    request_id: str
    path: str
    """What is asked for, relative to the run directory."""
    answer: str
    """The file that must be written, once, relative to the run directory."""


class RunResumed(Fact, frozen=True):
    """A process took the run up again."""

    traits: ClassVar[Traits] = Traits(
        about="run",
        changes_state=False,
        traced_as="ResumeLoaded",
        shown_live=True,
        decision=False,
        shared_by_fork=False,
    )
    torn_bytes: int = 0
    """How many bytes of a half-written last line were cut off."""
    restored: tuple[str, ...] = ()
    """Workspace paths that were put back to what the journal says; the first hundred."""
    restored_count: int = 0


class PipelineReplaced(Fact, frozen=True):
    """The run goes on with a changed pipeline; lines after ``kept_seq`` no longer count."""

    traits: ClassVar[Traits] = Traits(
        about="run",
        changes_state=True,
        traced_as=None,
        shown_live=True,
        level="warning",
        decision=False,
        waiting="ends",
    )
    old_sha256: str
    new_sha256: str
    kept_seq: int
    reused: tuple[str, ...]
    """Nodes whose finished work was kept."""
    discarded: dict[str, Spent] = {}
    """What the lines that no longer count have cost, by node: it stays spent."""
    confinement: ChosenLevel | None = None
    """How programs are confined from here on, where no stage started one before."""
    parts: dict[str, str] = {}
    """What `PipelineStarted.parts` is from here on."""
    warnings: tuple[str, ...] = ()
    """What `PipelineStarted.warnings` is from here on."""


class AgentReplaced(Fact, frozen=True):
    """From here on another agent is asked where a node names none."""

    traits: ClassVar[Traits] = Traits(
        about="run", changes_state=True, traced_as=None, shown_live=False, decision=False
    )
    agent: str

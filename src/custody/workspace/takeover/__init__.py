"""Taking the changes of a run over to a folder of the user's: all of them, or none.

    look       what stands at a path
    compare    changes and what is there → steps, and what stands in their way
    step       doing one step, undoing it, and finding out whether it was done
    takeover   all steps with a plan beside them, so that a killed takeover can be finished

Nothing is overwritten. What a step replaces or removes is moved aside by one rename, and looked at
there: when it is not what the run found, it is moved back and everything is undone. So somebody
who writes at the same moment loses nothing either.
"""

from __future__ import annotations

from typing import Literal

from custody.model.change import Entry
from custody.model.record import Document, Record

StepKind = Literal["remove", "remove_folder", "make_folder", "add", "replace", "set_mode"]


class Conflict(Record, frozen=True):
    """A path at which a change cannot be taken over, and why."""

    path: str
    what: str


class TakeoverStep(Record, frozen=True, omit_defaults=True):
    """One thing to do to one path."""

    kind: StepKind
    path: str
    before: Entry | None = None
    """What must stand there."""
    after: Entry | None = None
    """What stands there afterwards."""
    inode: int = 0
    """Of the file that waits beside the plan; another one waits there when the step is done."""


class TakeoverPlan(Document, frozen=True, kw_only=True):
    """``plan.json``: everything that is done by one takeover, in this order."""

    run_id: str
    device: int
    inode: int
    """Of the folder that the plan was made in: a plan that came with a copy of it is no plan."""
    steps: tuple[TakeoverStep, ...]

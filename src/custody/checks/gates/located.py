"""Whether the design of a job was found, all of it, and is the only one that can be meant."""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates import Case, Gate
from custody.model import layout
from custody.model.record import decode
from custody.model.skill.error_type import told
from custody.model.skill.job import Located
from custody.model.verdict import Verdict


class LocatedGate(Gate):
    """Judges ``docs/design.json``."""

    name = "located"
    doc = "One design was found, with its companion, and both can be read."

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find a design that is missing, or not the only one."""
        data = case.document(layout.JOB_DESIGN)
        found = decode(data or b"", Located, where=layout.JOB_DESIGN)
        if found.selected is None:
            problem = found.problem or "no design was found"
            yield self.wrong("not_located", told("LOCATOR_FAIL", problem), layout.JOB_DESIGN)

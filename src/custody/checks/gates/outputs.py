"""Whether a skill has left what its contract asks for."""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates import Case, Gate
from custody.model import layout
from custody.model.record import decode
from custody.model.skill.error_type import told
from custody.model.skill.job import Outputs
from custody.model.skill.outputs import FoundOutput
from custody.model.verdict import Verdict


class OutputsGate(Gate):
    """Judges ``docs/outputs.json``."""

    name = "outputs"
    doc = "Every required output is there, as plain files, and none is empty that must not be."

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find outputs that are missing, or empty: those that are missing come first."""
        data = case.document(layout.JOB_OUTPUTS) or b""
        found = decode(data, Outputs, where=layout.JOB_OUTPUTS)
        for output in found.required:
            if not output.count or output.broken_off:
                yield self._missing(output)
        for output in found.required:
            if output.non_empty and output.empty:
                empty = [one.path for one in output.files if not one.size]
                first = empty[0] if empty else output.path
                more = f", and {output.empty - 1} more" if output.empty > 1 else ""
                reason = told("OUTPUT_EMPTY", f"{first} is empty{more}")
                yield self.wrong("empty", reason, output.path)

    def _missing(self, output: FoundOutput) -> Verdict:
        what = f"{output.path} matches nothing"
        if output.broken_off:
            what = f"{output.path} was not looked through: {output.broken_off}"
        elif output.not_taken:
            other = output.not_taken[0]
            what = f"{output.path} matches no file: {other.path} is a {other.what}"
        return self.wrong("missing", told("OUTPUT_MISSING", what), output.path)

"""Whether a command ended with exit code 0."""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates import Case, Gate
from custody.model.request import ToolRequest
from custody.model.verdict import Verdict


class ExitCodeGate(Gate):
    """Judges the exit code that the ack holds."""

    name = "exit_code"
    doc = "The command ended with exit code 0."

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find any other exit code; one that is not recorded is none."""
        if case.ack.exit_code != 0:
            text = case.request.line.text if isinstance(case.request, ToolRequest) else ""
            yield self.wrong("exit_code", f"tool_exit_code_{case.ack.exit_code}", text)

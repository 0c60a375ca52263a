"""What is wrong, or odd, about a pipeline before it runs."""

from __future__ import annotations

from typing import Literal

from custody.model.record import Record

Severity = Literal["error", "warning"]


class Finding(Record, frozen=True):
    """One finding at one place of the source."""

    code: str
    """Stable name of the rule."""
    message: str
    line: int
    """1-based; 0 when the finding is about the file as a whole."""
    column: int
    severity: Severity = "error"
    hint: str = ""
    file: str = ""
    """The file of a part that it is in; empty for the pipeline that was asked about."""

    def told(self, file: str) -> str:
        """Return it on one line without its code and hint, as a run's record has it."""
        return f"{self.file or file}:{self.line}:{self.column} {self.message}"

    def render(self, file: str) -> str:
        """Return ``file:line:col CODE message``, with the hint on a line of its own.

        What is about no file has no place either.
        """
        mark = "" if self.severity == "error" else "warning: "
        named = self.file or file
        place = f"{named}:{self.line}:{self.column} " if named else ""
        text = f"{place}{self.code} {mark}{self.message}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text

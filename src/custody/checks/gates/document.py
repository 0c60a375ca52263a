"""Whether an agent that was asked for a document has written one."""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates import Case, Gate
from custody.model import layout
from custody.model.verdict import Verdict


class DocumentGate(Gate):
    """Judges the text that is to become the document."""

    name = "document"
    doc = "The response is not empty, so that there is a document."

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find a response that is missing, or blank."""
        if not case.text(layout.RESPONSE).strip():
            yield self.wrong(
                "empty", "the response is empty, so there is no document", layout.RESPONSE
            )

"""Whether everything that a verification plan asks for was done and found to be so."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

from custody.checks.gates import Case, Gate
from custody.model import layout
from custody.model.limits import LIMIT_EXCEEDED
from custody.model.record import decode
from custody.model.request import VerificationRequest
from custody.model.verdict import Verdict

if TYPE_CHECKING:
    from custody.model.plan import VerificationResults


# BEHAVIOR_ID: B014
class VerificationGate(Gate):
    """Judges recorded results against the request.

    The first check that failed gives the reason. A check without its result is a failure: what
    was not looked at is not verified. Neither is what no command was run for, however many files
    are there; in journals before version 1.2 that passed.
    """

    name = "verification"
    doc = "Required files were there, some command was run, and each ended with exit code 0."

    def applies(self, case: Case) -> bool:
        """Judge what was broken off too: the results tell which command was."""
        return case.ack.status != "refused"

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find the first check that failed or was not made."""
        from custody.model.plan import VerificationResults

        data = case.text(layout.VERIFICATION_RESULTS).encode()
        if not data or not isinstance(case.request, VerificationRequest):
            yield self.wrong("incomplete", "verification incomplete")
            return
        results = decode(data, VerificationResults, where=layout.VERIFICATION_RESULTS)
        found: Iterator[Verdict] = self._found(case.request, results)
        if case.version.checks_required:
            found = chain(found, self._without_commands(case.request))
        yield from islice(found, 1)

    def _without_commands(self, request: VerificationRequest) -> Iterator[Verdict]:
        if not request.lines:
            yield self.wrong("no_command", "verification ran no command")

    def _found(
        self, request: VerificationRequest, results: VerificationResults
    ) -> Iterator[Verdict]:
        for file in results.files:
            if not file.present:
                yield self.wrong("file_missing", f"required file missing: {file.path}", file.path)
        for each in results.commands:
            if each.ended_by.startswith(LIMIT_EXCEEDED):
                yield self.wrong(LIMIT_EXCEEDED, each.ended_by, each.command)
            if each.exit_code != 0:
                reason = f"verification command failed: {_on_one_line(each.command)}"
                yield self.wrong("command_failed", reason, each.command)
        if not _is_complete(request, results):
            yield self.wrong("incomplete", "verification incomplete")


def _is_complete(request: VerificationRequest, results: VerificationResults) -> bool:
    asked = (list(request.required_files), [line.text for line in request.lines])
    done = ([file.path for file in results.files], [each.command for each in results.commands])
    return asked == done


def _on_one_line(text: str) -> str:
    return text if text.isprintable() else repr(text)[1:-1]

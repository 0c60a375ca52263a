"""Whether the commands of the gate ``lite`` were run and each ended with exit code 0.

These are the quick checks that a repository names: ``lite`` in the table ``[change]`` of its
settings. The record is that of a verification, and so are the codes.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from custody.checks.gates import Case, Gate
from custody.checks.gates.verification import VerificationGate
from custody.model.verdict import Verdict


class LiteGate(Gate):
    """Judges recorded results as the gate of verifications does, under a name of its own."""

    name = "lite"
    doc = "The commands that the repository names as `lite` were run, and each ended with 0."

    def applies(self, case: Case) -> bool:
        """Judge what was broken off too."""
        return VerificationGate().applies(case)

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find the first check that failed or was not made."""
        yield from (replace(each, check=self.name) for each in VerificationGate().judge(case))

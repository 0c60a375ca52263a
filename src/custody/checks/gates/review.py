"""Whether a review lets the change go on.

no_verdict, verdict, duplicate, key  as of `custody.pipeline.contracts.review`
block    the reviewer says BLOCK
missing  there is no review
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

from custody.checks.gates import Case, Gate
from custody.checks.gates.artifact import TARGET
from custody.model.graph import Node
from custody.model.verdict import Verdict

SHOWN = 2000
"""Characters of the reasons that are told; the review has all of them."""


class ReviewGate(Gate):
    """Judges the one verdict of a review: anything but an approval stops the change."""

    name = "review"
    doc = "The review that `target` names holds one verdict, and it is APPROVE."
    attributes = (TARGET,)
    of_content = True

    def __init__(self, target: str) -> None:
        self._target = target

    @classmethod
    def of(cls, node: Node) -> Self:
        """Judge the review that the node names."""
        return cls(node.text(TARGET.name))

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find a review that blocks, or that says neither yes nor no."""
        from custody.checks.contracts import read_contract
        from custody.pipeline.contracts.review import BLOCK, read_review

        data = case.document(self._target)
        review, wrong = read_contract(self.name, self._target, data, read_review)
        yield from wrong
        if review is not None and review.verdict == BLOCK:
            reasons = "; ".join(review.blocking_reasons)[:SHOWN] or "no reason is given"
            yield self.wrong("block", f"{self._target} blocks: {reasons}", self._target)

    def reason(self, verdicts: Sequence[Verdict]) -> str:
        """Let the reasons of a block come first."""
        blocks = [verdict for verdict in verdicts if verdict.code == "block"]
        return super().reason(blocks or verdicts)

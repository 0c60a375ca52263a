"""Whether a document of a change that has a known name is what its name says.

Codes are those of its reader (`custody.pipeline.contracts`, `custody.model.record`), and
``missing`` when there is none, ``empty`` when nothing stands in it, ``not_diff`` for a patch that
does not begin as one. Where its form is judged later, only the first two count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from custody.checks.gates import Case, Gate
from custody.errors import MalformedDocument
from custody.model import layout
from custody.model.graph import AttributeRule, Node
from custody.model.record import decode
from custody.model.verdict import Verdict

if TYPE_CHECKING:
    from custody.pipeline.key_lines import ReadDocument

TARGET = AttributeRule(
    name="target", kind="string", doc="The document that is judged, such as `artifacts/PLAN.md`."
)
LATER = AttributeRule(
    name="judged_later",
    kind="boolean",
    doc="Whether the document is judged by a later stage, so that it is kept whatever it holds; "
    "default: false.",
)


class ArtifactGate(Gate):
    """Judges the form of one document; what it says is judged by others."""

    name = "artifact"
    doc = "The document that `target` names is there, and well-formed where its name is known."
    attributes = (TARGET, LATER)

    def __init__(self, target: str, *, later: bool = False) -> None:
        self._target = target
        self._later = later

    @classmethod
    def of(cls, node: Node) -> Self:
        """Judge the document that the node names."""
        return cls(node.text(TARGET.name), later=node.flag(LATER.name))

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find a document that is missing, or is not what its name says."""
        target, data = self._target, case.document(self._target)
        if data is None:
            yield self.wrong("missing", f"{target} is missing", target)
        elif not data.strip():
            yield self.wrong("empty", f"{target} is empty", target)
        elif self._later:
            return
        elif reader := _readers().get(target):
            from custody.checks.contracts import read_contract

            yield from read_contract(self.name, target, data, reader)[1]
        elif target == layout.PATCH:
            yield from self._judge_patch(data)
        elif target in {layout.PATCH_POLICY, layout.FILE_REQUEST}:
            yield from self._judge_record(data)

    def _judge_patch(self, data: bytes) -> Iterator[Verdict]:
        from custody.patch.git_header import GIT

        if not data.startswith(GIT):
            what = f"{self._target} does not begin with 'diff --git'"
            yield self.wrong("not_diff", what, self._target)

    def _judge_record(self, data: bytes) -> Iterator[Verdict]:
        """Judge JSON; of a request only the frame, since the librarian tells of each need."""
        from custody.checks.guards.patch_policy import read_policy
        from custody.model.contracts.file_request import FileRequestEnvelope

        try:
            if self._target == layout.PATCH_POLICY:
                read_policy(data, where=self._target)
            else:
                decode(data, FileRequestEnvelope, where=self._target, any_text=True)
        except MalformedDocument as malformed:
            yield self.wrong(malformed.code, str(malformed), self._target)


def _readers() -> dict[str, Callable[[bytes], ReadDocument[Any]]]:
    """Return the documents of key lines, and what reads each."""
    from custody.pipeline.contracts.expected_results import read_expected_results
    from custody.pipeline.contracts.guardrails import read_guardrails
    from custody.pipeline.contracts.plan import read_plan
    from custody.pipeline.contracts.reasons import read_reasons
    from custody.pipeline.contracts.review import read_review

    return {
        layout.GUARDRAILS: read_guardrails,
        layout.PLAN_DRAFT: partial(read_plan, draft=True),
        layout.PLAN: read_plan,
        layout.REASONS: read_reasons,
        layout.EXPECTED_RESULTS: read_expected_results,
        layout.REVIEW_CONTRACT: read_review,
        layout.REVIEW_COST: read_review,
    }

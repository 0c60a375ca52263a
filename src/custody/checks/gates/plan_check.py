"""Whether a plan is whole, signed, inside the guardrails, and speaks of what there is.

Besides the codes of the documents (`custody.pipeline.contracts`) there are

    missing     a document that must be there is not
    unresolved  a behavior that no index names, a result that is not described, or a gate of a
                result that the plan does not declare
    budget      the plan takes more than the guardrails give
    evidence    where ``check_evidence`` asks for it: a path of evidence that does not exist
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Self, TypeVar

from custody.checks.gates import Case, Gate
from custody.errors import MalformedDocument
from custody.model import layout
from custody.model.graph import AttributeRule, Node
from custody.model.verdict import Verdict

if TYPE_CHECKING:
    from custody.model.contracts.survey import Survey
    from custody.pipeline.contracts.expected_results import ExpectedResults
    from custody.pipeline.contracts.guardrails import Guardrails
    from custody.pipeline.contracts.plan import Plan
    from custody.pipeline.contracts.reasons import Reasons
    from custody.pipeline.key_lines import ReadDocument

EVIDENCE = AttributeRule(
    name="check_evidence",
    kind="boolean",
    doc="Whether every path that a result names as its evidence must exist.",
)
TOLD = 100
"""How many verdicts are told."""
SHOWN = 200
"""Characters of a name that are told."""
_T = TypeVar("_T")


class PlanCheck(Gate):
    """Judges the plan with everything that it refers to."""

    name = "plan_check"
    doc = "The plan is signed and whole, and every behavior, result and budget of it holds."
    attributes = (EVIDENCE,)

    def __init__(self, *, check_evidence: bool = False, left: Collection[str] = ()) -> None:
        """Take what the judged stage itself leaves as evidence that exists."""
        self._check_evidence = check_evidence
        self._left = left

    @classmethod
    def of(cls, node: Node) -> Self:
        """Ask for evidence where the node does."""
        return cls(check_evidence=node.flag(EVIDENCE.name))

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find what is wrong with the plan and with what it refers to, the first things."""
        yield from islice(self._found(case), TOLD)

    def _found(self, case: Case) -> Iterator[Verdict]:
        from custody.checks.contracts import read_survey

        texts = _Texts.of(case)
        yield from texts.wrong
        yield from self._over_budget(texts.plan, texts.guardrails)
        yield from self._unresolved_results(texts)
        try:
            survey = read_survey(case.document(layout.SURVEY), layout.SURVEY)
        except MalformedDocument as malformed:
            yield self.wrong("survey", str(malformed), layout.SURVEY)
            return
        yield from self._unresolved_behaviors(texts, survey)
        if self._check_evidence:
            yield from self._evidence(texts, survey, case)

    def _over_budget(self, plan: Plan, guardrails: Guardrails) -> Iterator[Verdict]:
        stops = [stop.number for stop in plan.stop if stop.kind == "max_iterations"]
        budgets = plan.budgets
        pairs = [
            ("iterations", budgets.iterations, guardrails.max_iterations),
            ("files", budgets.files, guardrails.max_files),
            ("bytes", budgets.bytes, guardrails.max_total_bytes),
            *(("max_iterations", number, guardrails.max_iterations) for number in stops),
        ]
        for name, asked, most in pairs:
            if asked is not None and most and asked > most:
                what = f"{name}={asked} is more than the guardrails give: {most}"
                yield self.wrong("budget", what, layout.PLAN)

    def _unresolved_results(self, texts: _Texts) -> Iterator[Verdict]:
        plan, expected = texts.plan, texts.expected
        for name in plan.results:
            result = expected.get(name)
            if result is None:
                yield self._unresolved(name, f"{layout.EXPECTED_RESULTS} has no entry of it")
                continue
            for gate in result.gates:
                if gate not in plan.gates:
                    yield self._unresolved(gate, f"a gate of {name} that the plan does not declare")
        for name, line in texts.reasoned("R"):
            if expected.get(name) is None:
                yield self._unresolved(
                    name, f"{layout.REASONS}:{line} names a result without entry"
                )

    def _unresolved_behaviors(self, texts: _Texts, survey: Survey | None) -> Iterator[Verdict]:
        named = [(name, f"{layout.PLAN} names it") for name in texts.plan.behaviors]
        named += [(name, f"{layout.REASONS}:{line} names it") for name, line in texts.reasoned("B")]
        if survey is None:
            if named:
                what = "nobody has looked through the repository for its behaviors"
                yield self.wrong("missing", what, layout.SURVEY)
            return
        there = {entry.id for entry in survey.entries}
        for name, where in named:
            if name not in there:
                yield self._unresolved(name, f"{where}, but the index of behaviors does not")

    def _evidence(self, texts: _Texts, survey: Survey | None, case: Case) -> Iterator[Verdict]:
        there = {each.path for each in survey.evidence if each.exists} if survey else set()
        there.update(self._left)
        for name in texts.plan.results:
            result = texts.expected.get(name)
            for path in result.evidence if result is not None else ():
                if path not in there and case.document(path) is None:
                    what = f"the evidence of {name} does not exist: {path[:SHOWN]}"
                    yield self.wrong("evidence", what, path[:SHOWN])

    def _unresolved(self, name: str, why: str) -> Verdict:
        brief = name[:SHOWN]
        return self.wrong("unresolved", f"{brief} is not known: {why}", brief)


class _Texts(NamedTuple):
    """The documents, as far as they could be made out."""

    plan: Plan
    guardrails: Guardrails
    reasons: Reasons
    expected: ExpectedResults
    wrong: tuple[Verdict, ...]

    @classmethod
    def of(cls, case: Case) -> _Texts:
        """Read them all."""
        from custody.checks.contracts import read_contract
        from custody.pipeline.contracts.expected_results import (
            ExpectedResults,
            read_expected_results,
        )
        from custody.pipeline.contracts.guardrails import Guardrails, read_guardrails
        from custody.pipeline.contracts.plan import Plan, read_plan
        from custody.pipeline.contracts.reasons import Reasons, read_reasons

        def read(path: str, reader: Callable[[bytes], ReadDocument[_T]], none: _T) -> _T:
            draft, findings = read_contract(PlanCheck.name, path, case.document(path), reader)
            wrong.extend(findings)
            return none if draft is None else draft

        wrong: list[Verdict] = []
        plan = read(layout.PLAN, read_plan, Plan())
        guardrails = read(layout.GUARDRAILS, read_guardrails, Guardrails())
        reasons = read(layout.REASONS, read_reasons, Reasons())
        expected = read(layout.EXPECTED_RESULTS, read_expected_results, ExpectedResults())
        return cls(plan, guardrails, reasons, expected, tuple(wrong))

    def reasoned(self, letter: str) -> Iterator[tuple[str, int]]:
        """Yield every id of a kind that a reason names, with the line."""
        for reason in self.reasons.reasons:
            yield from ((name, reason.line) for name in reason.ids if name.startswith(letter))

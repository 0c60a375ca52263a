"""Plans are judged with everything that they refer to."""

from __future__ import annotations

import pytest

from custody.checks.gates.plan_check import SHOWN, TOLD, PlanCheck
from custody.model import layout
from custody.model.contracts.survey import DeclaredEvidence, IndexEntry, Survey
from custody.model.graph import Attribute, Node, SourcePosition
from custody.model.record import encode
from support.cases import case
from support.contracts import EXPECTED, GUARDRAILS, PLAN, REASONS, with_key

pytestmark = pytest.mark.req("C-13")
SURVEY = encode(
    Survey(
        index=True,
        entries=(IndexEntry(id="B001", page="docs/behaviors/B001-x.md", line=1),),
        evidence=(DeclaredEvidence(path="docs/greeting.md", exists=True),),
    )
)
DOCUMENTS: dict[str, str | bytes] = {
    layout.PLAN: PLAN,
    layout.GUARDRAILS: GUARDRAILS,
    layout.REASONS: REASONS,
    layout.EXPECTED_RESULTS: EXPECTED,
    layout.SURVEY: SURVEY,
}


def codes(changed: dict[str, str | bytes | None], *, evidence: bool = False) -> list[str]:
    held = {**DOCUMENTS, **changed}
    documents = {path: text for path, text in held.items() if text is not None}
    gate = PlanCheck(check_evidence=evidence)
    return [verdict.code for verdict in gate.judge(case(documents=documents))]


def test_a_plan_that_holds() -> None:
    assert codes({}) == []
    assert codes({}, evidence=True) == []


@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_document_that_is_missing(path: str) -> None:
    assert "missing" in codes({path: None})


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("Status", "DRAFT", ["unsigned"]),
        ("Results", "R001, R002", ["unresolved"]),
        ("Behaviors", "B001, B002", ["unresolved"]),
        ("Behaviors", "", []),
        ("Budgets", "iterations=4", ["budget"]),
        ("Budgets", "files=21, bytes=200001", ["budget", "budget"]),
        ("Budgets", "files=20, bytes=200000, iterations=3", []),
        ("Stop", "max_iterations=4", ["budget"]),
        ("Gates", "plan_check, patch_check, behavior_catalog_check", ["missing", "unresolved"]),
        ("Gates", None, ["missing", "unresolved"]),
    ],
)
def test_what_a_plan_says(key: str, value: str | None, expected: list[str]) -> None:
    assert codes({layout.PLAN: with_key(PLAN, key, value)}) == expected


@pytest.mark.req("C-15")
def test_reasons_name_what_there_is() -> None:
    assert codes({layout.REASONS: "- because\n"}) == ["reason"]
    assert codes({layout.REASONS: "- R009 and B001\n"}) == ["unresolved"]
    assert codes({layout.REASONS: "- R001 and B009\n"}) == ["unresolved"]


@pytest.mark.req("C-16")
def test_results_are_described() -> None:
    assert codes({layout.EXPECTED_RESULTS: with_key(EXPECTED, "Acceptance", None)}) == ["missing"]
    other = with_key(EXPECTED, "Related-Gates", "lite, other")
    assert codes({layout.EXPECTED_RESULTS: other}) == ["unresolved"]


@pytest.mark.req("C-01")
def test_guardrails_are_judged_too() -> None:
    assert codes({layout.GUARDRAILS: with_key(GUARDRAILS, "max_files", "x")}) == ["value"]


def test_evidence_must_exist_where_that_is_asked() -> None:
    gone = encode(Survey(entries=(IndexEntry(id="B001", page="", line=1),)))
    assert codes({layout.SURVEY: gone}) == []
    assert codes({layout.SURVEY: gone}, evidence=True) == ["evidence"]
    own = with_key(EXPECTED, "Evidence", layout.PLAN)
    assert codes({layout.EXPECTED_RESULTS: own}, evidence=True) == []


def test_a_node_asks_for_evidence() -> None:
    place = SourcePosition(line=1, column=1)
    attribute = Attribute(name="check_evidence", value=True, position=place)
    node = Node(id="n", type="gate", attributes={"check_evidence": attribute}, position=place)
    missing = {**DOCUMENTS, layout.SURVEY: encode(Survey())}
    found = PlanCheck.of(node).judge(case(documents=missing))
    assert {verdict.code for verdict in found} == {"unresolved", "evidence"}


def test_not_more_is_told_than_anybody_reads() -> None:
    many = ", ".join(f"R{number:03d}" for number in range(100, 900))
    assert codes({layout.PLAN: with_key(PLAN, "Results", many)}) == ["unresolved"] * TOLD
    other = with_key(EXPECTED, "Related-Gates", "x" * 100_000)
    documents = {**DOCUMENTS, layout.EXPECTED_RESULTS: other}
    (verdict,) = PlanCheck().judge(case(documents=documents))
    assert len(verdict.reason) < 2 * SHOWN


def test_a_survey_that_cannot_be_read() -> None:
    assert codes({layout.SURVEY: "{"}) == ["survey"]


def test_the_line_stands_in_the_reason() -> None:
    documents = {**DOCUMENTS, layout.PLAN: PLAN.replace("docs/,", "../,")}
    (verdict,) = PlanCheck().judge(case(documents=documents))
    assert verdict.reason.startswith(f"{layout.PLAN}:4 ")

"""Findings about documents, as verdicts."""

from __future__ import annotations

import json

import pytest

from custody.checks.contracts import (
    TOLD,
    beyond_guardrails,
    read_contract,
    read_survey,
    told,
)
from custody.errors import MalformedDocument
from custody.model.contracts.survey import Survey
from custody.model.finding import Finding
from custody.model.record import encode
from custody.pipeline.contracts.guardrails import Guardrails
from custody.pipeline.contracts.plan import read_plan
from support.contracts import PLAN


def test_a_document_that_is_missing() -> None:
    draft, (verdict,) = read_contract("g", "artifacts/PLAN.md", None, read_plan)
    assert draft is None
    assert (verdict.check, verdict.code, verdict.subject) == ("g", "missing", "artifacts/PLAN.md")


def test_every_error_is_a_verdict_and_no_warning() -> None:
    text = PLAN.replace("scope_violation", "when Ann says so").replace("docs/,", "../,")
    _, (verdict,) = read_contract("g", "p", text.encode(), read_plan)
    assert verdict.code == "traversal"
    assert verdict.reason.startswith("p:4 Scope-Allow: ")
    assert "(hint: " in verdict.reason


def test_neither_many_findings_nor_long_ones_fill_the_journal() -> None:
    many = PLAN + "Status: SIGNED\n" * 1000
    _, verdicts = read_contract("g", "p", many.encode(), read_plan)
    assert len(verdicts) == TOLD
    long = PLAN.replace("SIGNED", "x" * 100_000)
    _, (verdict,) = read_contract("g", "p", long.encode(), read_plan)
    assert len(verdict.reason) < 300


def test_a_finding_about_the_whole_has_no_line() -> None:
    assert told(Finding(code="x", message="it is", line=0, column=0), "p") == "p it is"


def test_a_survey_is_read_strictly() -> None:
    assert read_survey(None, "s") is None
    assert read_survey(encode(Survey()), "s") == Survey()
    with pytest.raises(MalformedDocument):
        read_survey(b"{", "s")


@pytest.mark.parametrize(
    ("budget", "what"),
    [
        ((2, 100), ""),
        ((3, 100), "max_files=3 is more than the guardrails give: 2"),
        ((2, 101), "max_total_bytes=101 is more than the guardrails give: 100"),
        (("many", 1), ""),
    ],
)
def test_what_a_request_asks_for_beyond_the_guardrails(
    budget: tuple[object, int], what: str
) -> None:
    request = {
        "schema_version": "ctcp-file-request-v1", "goal": "\ud800", "needs": [None], "reason": "r",
        "budget": {"max_files": budget[0], "max_total_bytes": budget[1]},
    }  # fmt: skip
    rules = Guardrails(max_files=2, max_total_bytes=100)
    assert beyond_guardrails(json.dumps(request).encode(), rules) == what

"""A document with a known name is what its name says."""

from __future__ import annotations

import pytest

from custody.checks.gates.artifact import ArtifactGate
from custody.model import layout
from custody.model.graph import Attribute, Node, SourcePosition
from support.cases import case
from support.contracts import EXPECTED, GUARDRAILS, PLAN, REASONS, REVIEW

DRAFT = PLAN.replace("SIGNED", "DRAFT")
SOUND = {
    layout.GUARDRAILS: GUARDRAILS,
    layout.PLAN: PLAN,
    layout.PLAN_DRAFT: DRAFT,
    layout.REASONS: REASONS,
    layout.EXPECTED_RESULTS: EXPECTED,
    layout.REVIEW_CONTRACT: REVIEW,
    layout.REVIEW_COST: "Verdict: BLOCK\n",
    layout.PATCH: "diff --git a/x b/x\n",
    layout.PATCH_POLICY: "{}",
    layout.FILE_REQUEST: '{"schema_version": "ctcp-file-request-v1", "goal": "", "needs": [1], '
    '"budget": {"max_files": 1, "max_total_bytes": 1}, "reason": ""}',
    layout.ANALYSIS: "anything",
}


def codes(target: str, text: str | None) -> list[str]:
    documents = {} if text is None else {target: text}
    return [v.code for v in ArtifactGate(target).judge(case(documents=documents))]


@pytest.mark.req("C-01", "C-12", "C-15", "C-16", "C-18")
@pytest.mark.parametrize("target", SOUND)
def test_what_is_well_formed(target: str) -> None:
    assert codes(target, SOUND[target]) == []
    assert codes(target, None) == ["missing"]
    assert codes(target, " \n") == ["empty"]


@pytest.mark.parametrize(
    ("target", "text", "code"),
    [
        (layout.GUARDRAILS, "find_mode: resolver_only\n", "missing"),
        (layout.PLAN, DRAFT, "unsigned"),
        (layout.REASONS, "- why\n", "reason"),
        (layout.EXPECTED_RESULTS, "# none\n", "missing"),
        (layout.REVIEW_COST, "fine\n", "no_verdict"),
        (layout.PATCH, "Here is your patch:\ndiff --git a/x b/x\n", "not_diff"),
        (layout.PATCH_POLICY, '{"max_files": 0}', "policy"),
        (layout.PATCH_POLICY, "[]", "type"),
        (layout.FILE_REQUEST, "Here it is: {}", "json"),
        (layout.FILE_REQUEST, '{"schema_version": "ctcp-file-request-v2"}', "type"),
    ],
)
def test_what_is_not(target: str, text: str, code: str) -> None:
    assert codes(target, text)[0] == code


@pytest.mark.parametrize(
    ("text", "found"), [("no patch", []), (" \n", ["empty"]), (None, ["missing"])]
)
def test_whose_form_is_judged_later_must_only_be_there(text: str | None, found: list[str]) -> None:
    documents = {} if text is None else {layout.PATCH: text}
    gate = ArtifactGate(layout.PATCH, later=True)
    assert [verdict.code for verdict in gate.judge(case(documents=documents))] == found


def test_the_node_names_the_document() -> None:
    place = SourcePosition(line=1, column=1)
    target = Attribute(name="target", value=layout.PLAN, position=place)
    node = Node(id="n", type="gate", attributes={"target": target}, position=place)
    assert list(ArtifactGate.of(node).judge(case(documents={layout.PLAN: PLAN}))) == []

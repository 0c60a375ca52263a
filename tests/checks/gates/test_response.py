"""Responses: exactly one JSON block, and one that fits."""

from __future__ import annotations

import pytest

from custody.checks.gates.response import (
    ResponseGate,
    check_schema,
    json_block,
    offered_plan,
)
from custody.errors import MalformedDocument
from custody.model.graph import Attribute, Node, SourcePosition
from support.cases import case

SCHEMA = '{"type": "object", "required": ["verdict"]}'


def block(text: str) -> str:
    return f"Words.\n\n```json\n{text}\n```\n"


def test_the_value_of_the_block_is_read() -> None:
    assert json_block(block('{"a": [1, null]}')) == {"a": [1, None]}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no block", "json_block"),
        (block("1") + block("2"), "json_block"),
        (block("{half"), "json"),
        (block('{"a": 1, "a": 2}'), "duplicate_key"),
        ("```json\n{}", "json_block"),
    ],
)
def test_anything_else_is_refused(text: str, code: str) -> None:
    with pytest.raises(MalformedDocument) as refused:
        json_block(text)
    assert refused.value.code == code
    (verdict,) = ResponseGate().judge(case({"response.md": text}))
    assert verdict.code == code


@pytest.mark.parametrize(("text", "codes"), [('{"verdict": 1}', []), ("{}", ["response_schema"])])
def test_the_schema_must_fit(text: str, codes: list[str]) -> None:
    verdicts = ResponseGate(SCHEMA).judge(case({"response.md": block(text)}))
    assert [verdict.code for verdict in verdicts] == codes


def test_only_what_an_agent_calls_a_success_owes_the_data() -> None:
    assert ResponseGate().applies(case(status="ok"))
    assert not ResponseGate().applies(case(status="partial"))


def asking_for(schema: str) -> Node:
    here = SourcePosition(line=1, column=1)
    written = Attribute(name="response_schema", value=schema, position=here)
    return Node(id="a", type="codergen", attributes={written.name: written}, position=here)


def test_the_schema_is_that_of_the_node() -> None:
    gate = ResponseGate.of(asking_for(SCHEMA))
    assert [verdict.code for verdict in gate.judge(case({"response.md": block("{}")}))]
    assert list(gate.judge(case({"response.md": block('{"verdict": 1}')}))) == []


def test_a_schema_that_cannot_be_read_is_found_before_anything_runs() -> None:
    (finding,) = check_schema(asking_for('{"type": "thing"}'))
    assert finding.code == "attribute"
    assert list(check_schema(asking_for(SCHEMA))) == []


@pytest.mark.req("U-18")
@pytest.mark.parametrize(
    ("text", "plan"),
    [
        (block('{"verification_plan": {"files": ["a"]}}'), {"files": ["a"]}),
        ('  {"verification_plan": {"commands": []}, "notes": "x"}\n', {"commands": []}),
        (block('{"notes": "verification_plan"}'), None),
        (block('{"verification_plan": "later"}'), None),
        ('A "verification_plan" in words', None),
        (block('{"verification_plan": {}}') + block("1"), None),
    ],
)
def test_a_plan_may_be_offered_unasked(text: str, plan: object) -> None:
    assert offered_plan(text) == plan

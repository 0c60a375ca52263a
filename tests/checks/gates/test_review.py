"""A review lets a change go on by one word alone."""

from __future__ import annotations

import pytest

from custody.checks.gates.review import SHOWN, ReviewGate
from custody.model import layout
from custody.model.graph import Attribute, Node, SourcePosition
from support.cases import case

pytestmark = pytest.mark.req("C-18")
PATH = layout.REVIEW_CONTRACT


def judged(text: str | None) -> list[tuple[str, str]]:
    documents = {} if text is None else {PATH: text}
    found = ReviewGate(PATH).judge(case(documents=documents))
    return [(verdict.code, verdict.reason) for verdict in found]


def test_an_approval_passes() -> None:
    assert judged("Verdict: APPROVE\n") == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (None, "missing"),
        ("", "no_verdict"),
        ("Verdict: APPROVED\n", "verdict"),
        ("Verdict: APPROVE\nVerdict: APPROVE\n", "duplicate"),
        ("verdict: APPROVE\n", "key"),
    ],
)
def test_what_is_missing_is_no_approval(text: str | None, code: str) -> None:
    assert [found for found, _ in judged(text)] == [code]


def test_a_block_names_its_reasons() -> None:
    text = "Verdict: BLOCK\nBlocking Reasons:\n- too dear\n- no test\n"
    assert judged(text) == [("block", f"{PATH} blocks: too dear; no test")]
    assert judged("Verdict: BLOCK\n") == [("block", f"{PATH} blocks: no reason is given")]


def test_long_reasons_are_cut() -> None:
    ((_, reason),) = judged(f"Verdict: BLOCK\nBlocking Reasons: {'x' * 100_000}\n")
    assert len(reason) < SHOWN + 100


def test_a_block_comes_first_in_the_reason() -> None:
    gate = ReviewGate(PATH)
    made = [gate.wrong("encoding", "bytes"), gate.wrong("block", "too dear")]
    assert gate.reason(made) == "too dear"
    assert gate.reason(made[:1]) == "bytes"


def test_the_node_names_the_review() -> None:
    place = SourcePosition(line=1, column=1)
    target = Attribute(name="target", value=PATH, position=place)
    node = Node(id="n", type="gate", attributes={"target": target}, position=place)
    held = case(documents={PATH: "Verdict: APPROVE\n"})
    assert list(ReviewGate.of(node).judge(held)) == []

"""Reviews: exactly one verdict, and nothing else is one."""

from __future__ import annotations

import pytest

from custody.pipeline.contracts.review import Review, read_review

pytestmark = pytest.mark.req("C-18")
BLOCK = "Verdict: BLOCK\nBlocking Reasons"


@pytest.mark.parametrize(
    ("text", "review"),
    [
        ("Verdict: APPROVE\n", Review(verdict="APPROVE")),
        ("# Review\r\n\r\nAll is well.\r\nVerdict: APPROVE\r\n", Review(verdict="APPROVE")),
        (
            "Verdict: BLOCK\nBlocking Reasons: x\nRequired Fix/Artifacts: y\n",
            Review(verdict="BLOCK", blocking_reasons=("x",), required=("y",)),
        ),
        (
            f"{BLOCK}:\n- x, y\n- z\nRequired Fix/Artifacts:\n\none\ntwo\n\n3\n",
            Review(verdict="BLOCK", blocking_reasons=("x, y", "z"), required=("one two",)),
        ),
        (
            "Blocking Reasons: a\nBlocking Reasons: b\nVerdict: BLOCK\n",
            Review(verdict="BLOCK", blocking_reasons=("a",)),
        ),
        ("Verdict: APPROVE\n\n- `Verdict: BLOCK` would be too much\n", Review(verdict="APPROVE")),
        ("Verdict: APPROVE\n\n> ## Verdict: BLOCK\n", Review(verdict="APPROVE")),
        ("## Verdict: APPROVE\n\nVerdict: BLOCK\nBlocking Reasons: x\n",
            Review(verdict="BLOCK", blocking_reasons=("x",))),
    ],
)  # fmt: skip
def test_what_is_a_review(text: str, review: Review) -> None:
    read = read_review(text.encode())
    assert (read.findings, read.sound) == ((), review)
    assert review.blocks is (review.verdict == "BLOCK")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no_verdict"),
        ("No reason to block. APPROVE\n", "no_verdict"),
        ("> Verdict: APPROVE\n", "no_verdict"),
        ("```\nVerdict: APPROVE\n```\n", "no_verdict"),
        ("<!--\nVerdict: APPROVE\n-->\n", "no_verdict"),
        ("Verdict: APPROVED\n", "verdict"),
        ("Verdict: APPROVE|BLOCK\n", "verdict"),
        ("Verdict: approve\n", "verdict"),
        ("Verdict:\n", "verdict"),
        ("Verdict: APPROVE\u200b\n", "verdict"),
        ("Verdict: APPROVE\nVerdict: BLOCK\n", "duplicate"),
        ("Verdict: BLOCK\nVerdict: BLOCK\n", "duplicate"),
        ("Verdict: APPROVE\n\n**Verdict:** BLOCK\n", "duplicate"),
        ("Verdict: APPROVE\n\n## Verdict: BLOCK\n", "duplicate"),
        ("- `Verdict: BLOCK`\n\nVerdict: APPROVE\n", "duplicate"),
        ("Verdict: APPROVE\n  __Verdict__: block.\n", "duplicate"),
        ("verdict: APPROVE\n", "key"),
        ("**Verdict:** APPROVE\n", "key"),
    ],
)
def test_what_is_no_approval(text: str, code: str) -> None:
    read = read_review(text.encode())
    assert [finding.code for finding in read.findings] == [code]
    assert read.sound is None
    assert read.draft.blocks


def test_a_block_without_a_reason_still_blocks() -> None:
    read = read_review(b"Verdict: BLOCK\n")
    assert [(one.code, one.severity) for one in read.findings] == [("missing", "warning")]
    assert read.sound is not None
    assert read.sound.blocks

"""Reasons: each names what it is for."""

from __future__ import annotations

import pytest

from custody.pipeline.contracts.reasons import Reason, read_reasons

pytestmark = pytest.mark.req("C-15")


def codes(text: str) -> list[tuple[int, str]]:
    return [(one.line, one.code) for one in read_reasons(text.encode()).findings]


def test_every_reason_with_its_ids() -> None:
    text = "# Why\n\n- R001: users ask,\n  as B002 says\n* B003\n---\nA line for R004.\n"
    assert read_reasons(text.encode()).draft.reasons == (
        Reason(text="- R001: users ask, as B002 says", line=3, ids=("R001", "B002")),
        Reason(text="* B003", line=5, ids=("B003",)),
        Reason(text="A line for R004.", line=7, ids=("R004",)),
    )
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- because\n", [(1, "reason")]),
        ("- R001: x\n- because\n", [(2, "reason")]),
        ("- R001: x\n  - because\n", [(2, "reason")]),
        ("- R1 and xB001\n", [(1, "reason")]),
        ("", [(0, "missing")]),
        ("# R001\n\n> R002\n```\nR003\n```\n", [(0, "missing")]),
    ],
)
def test_what_is_wrong(text: str, expected: list[tuple[int, str]]) -> None:
    assert codes(text) == expected


def test_bytes_that_are_no_text() -> None:
    assert [one.code for one in read_reasons(b"- R001 \xff").findings] == ["encoding"]

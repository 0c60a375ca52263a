"""Expected results: each with what is accepted, what shows it, and which gates look at it."""

from __future__ import annotations

import pytest

from custody.pipeline.contracts.expected_results import ExpectedResult, read_expected_results
from support.contracts import EXPECTED, with_key

pytestmark = pytest.mark.req("C-16")


def codes(data: bytes) -> list[str]:
    return [finding.code for finding in read_expected_results(data).findings]


def test_every_entry_with_its_keys() -> None:
    keys = "  - Acceptance:\n    - a\n    - b\n  - Evidence: `x/`, y\n  - Related-Gates: full\n"
    text = f"{EXPECTED}\n- R002\n{keys}"
    read = read_expected_results(text.encode())
    assert read.findings == ()
    assert read.draft.get("R001") == ExpectedResult(
        id="R001",
        line=3,
        acceptance="the greeting is printed",
        evidence=("docs/greeting.md",),
        gates=("lite",),
    )
    assert read.draft.get("R002") == ExpectedResult(
        id="R002", line=9, acceptance="a; b", evidence=("x/", "y"), gates=("full",)
    )
    assert read.draft.get("R003") is None


@pytest.mark.parametrize("key", ["Acceptance", "Evidence", "Related-Gates"])
def test_what_an_entry_lacks(key: str) -> None:
    for value in (None, ""):
        read = read_expected_results(with_key(EXPECTED, key, value))
        assert [(one.code, one.message) for one in read.findings] == [
            ("missing", f"R001 lacks {key}")
        ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ["missing"]),
        (b"# nothing\n", ["missing"]),
        (EXPECTED.encode() * 2, ["duplicate"]),
        (with_key(EXPECTED, "Evidence", "../x"), ["traversal"]),
        (with_key(EXPECTED, "Evidence", "/x, a\\b"), ["absolute", "backslash"]),
        (EXPECTED.encode() + b"Evidence: again\n", ["duplicate_key"]),
        (EXPECTED.replace("Evidence", "evidence").encode(), ["key"]),
    ],
)
def test_what_is_wrong(data: bytes, expected: list[str]) -> None:
    assert codes(data) == expected

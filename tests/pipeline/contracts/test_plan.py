"""Plans: every key once, signed, inside the repository, with gates and a stop that works."""

from __future__ import annotations

import pytest

from custody.pipeline.contracts.plan import (
    KEYS,
    LEAST_GATES,
    Budgets,
    Plan,
    StopCondition,
    read_plan,
)
from support.contracts import PLAN, with_key

pytestmark = pytest.mark.req("C-12")


def codes(data: bytes, *, draft: bool = False) -> list[str]:
    return [finding.code for finding in read_plan(data, draft=draft).findings]


def test_everything_that_a_plan_says() -> None:
    assert read_plan(PLAN.encode()).sound == Plan(
        status="SIGNED",
        scope_allow=("docs/", "src/"),
        scope_deny=("docs/private/",),
        gates=LEAST_GATES,
        stop=(
            StopCondition(kind="max_iterations", text="max_iterations=3", number=3),
            StopCondition(kind="scope_violation", text="scope_violation"),
        ),
        budgets=Budgets(iterations=3, files=5, bytes=20000),
        behaviors=("B001",),
        results=("R001",),
    )


@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_is_missing(key: str) -> None:
    read = read_plan(with_key(PLAN, key, None))
    assert [(finding.code, repr(key) in finding.message) for finding in read.findings] == [
        ("missing", True)
    ]
    assert read.sound is None


def test_only_a_draft_may_be_unsigned() -> None:
    draft = with_key(PLAN, "Status", "DRAFT")
    assert codes(draft) == ["unsigned"]
    assert codes(draft, draft=True) == []
    assert codes(PLAN.encode(), draft=True) == []
    assert codes(with_key(PLAN, "Status", "signed"), draft=True) == ["unsigned"]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("Scope-Allow", "", ["missing"]),
        ("Scope-Allow", "docs/, ../", ["traversal"]),
        ("Scope-Allow", "docs//", ["noncanonical"]),
        ("Scope-Allow", "//", ["absolute"]),
        ("Scope-Allow", "/etc", ["absolute"]),
        ("Scope-Allow", "/", ["absolute"]),
        ("Scope-Allow", ".", ["too_broad"]),
        ("Scope-Allow", "./", ["too_broad"]),
        ("Scope-Allow", "./docs", ["noncanonical"]),
        ("Scope-Allow", "src/*.py", ["glob"]),
        ("Scope-Allow", ".git/", ["denied"]),
        ("Scope-Allow", "docs\\x", ["backslash"]),
        ("Scope-Deny", "", []),
        ("Scope-Deny", ".git/, -x, CON", []),
        ("Scope-Deny", "docs/../x", ["traversal"]),
        ("Scope-Deny", "docs/a b/, my notes.md", []),
        ("Scope-Deny", "docs/ (all of it), `x` too, y <!-- z -->", ["value"] * 3),
        ("Gates", "lite", ["missing"]),
        ("Gates", f"{', '.join(LEAST_GATES)}, full", []),
        ("Gates", f"{', '.join(LEAST_GATES)}, Full!", ["value"]),
        ("Stop", "", ["missing"]),
        ("Stop", "when it is done", ["stop"]),
        ("Stop", "max_iterations=0", ["stop"]),
        ("Stop", "Scope_Violation", ["stop"]),
        ("Stop", "same_failure = 2, gate=lite, budget_exceeded, review_block", []),
        ("Budgets", "", ["missing"]),
        ("Budgets", "max_iterations=2; max_files=3; max_total_bytes=10", []),
        ("Budgets", "files=many", ["budget"]),
        ("Budgets", "files=3, max_files=4", ["budget"]),
        ("Budgets", "dollars=3", ["budget"]),
        ("Behaviors", "", []),
        ("Behaviors", "B001 greeting, B002", []),
        ("Behaviors", "R001", ["value"]),
        ("Behaviors", "none", ["value"]),
        ("Results", "", ["missing"]),
        ("Results", "R1", ["value"]),
    ],
)  # fmt: skip
def test_what_a_key_may_say(key: str, value: str, expected: list[str]) -> None:
    assert codes(with_key(PLAN, key, value)) == expected


def test_a_stop_for_people_is_named_beside_one_that_works() -> None:
    read = read_plan(with_key(PLAN, "Stop", "when Ann says so; gate=lite"))
    assert [(one.code, one.severity) for one in read.findings] == [("stop", "warning")]
    assert "'when Ann says so'" in read.findings[0].message
    assert read.sound is not None
    assert [stop.enforced for stop in read.sound.stop] == [False, True]
    assert read.sound.stop[1].gate == "lite"


def test_lists_may_stand_below_their_keys() -> None:
    text = PLAN.replace("docs/, src/", "\n- `docs/`\n- src/").replace("\n", "\r\n")
    read = read_plan(b"\xef\xbb\xbf" + text.encode())
    assert read.sound is not None
    assert read.sound.scope_allow == ("docs/", "src/")

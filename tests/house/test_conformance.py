"""docs/CONFORMANCE.md says what the marks say."""

from __future__ import annotations

import re
from pathlib import Path

import codebase
import conformance

SAMPLE = """
import pytest

@pytest.mark.req("P-01", "P-02")
def test_one(): ...

class TestTwo:
    @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.req("P-02"))])
    def test_three(self, x): ...

@pytest.mark.req("P-03")
def not_a_test(): ...
"""


def test_the_page_is_up_to_date(root: Path) -> None:
    asked = conformance.requirements((root / "docs" / "requirements.md").read_text("utf-8"))
    proven = conformance.proofs(codebase.modules(root / "tests"))
    page = (root / "docs" / "CONFORMANCE.md").read_text("utf-8")
    up_to_date = page == conformance.page(asked, proven)
    assert up_to_date, "run `make reference`"


def test_marks_are_found_wherever_they_may_stand(root: Path) -> None:
    module = codebase.parse(root / "tests" / "test_sample.py", root / "tests", SAMPLE)
    assert conformance.proofs([module]) == {
        "P-01": ["tests/test_sample.py::test_one"],
        "P-02": ["tests/test_sample.py::TestTwo::test_three", "tests/test_sample.py::test_one"],
    }


def test_a_requirement_without_a_test_is_open() -> None:
    asked = [conformance.Requirement("P-01", "P", "It works.")]
    assert "| P-01 | It works. | **open** |" in conformance.page(asked, {})


def test_what_is_proven_in_part_has_a_test(root: Path) -> None:
    proven = conformance.proofs(codebase.modules(root / "tests"))
    assert conformance.PARTLY.keys() <= proven.keys()


def test_every_requirement_is_read(root: Path) -> None:
    text = (root / "docs" / "requirements.md").read_text("utf-8")
    asked = conformance.requirements(text)
    assert [requirement.id for requirement in asked] == re.findall(r"[A-Z]-\d\d(?= \|)", text)
    assert len({requirement.id for requirement in asked}) == len(asked)
    assert all(requirement.area for requirement in asked)

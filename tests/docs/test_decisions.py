"""Decisions are numbered once and say what was refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SECTIONS = ["Context", "Decision", "Options refused", "Consequences"]
FOLDER = Path(__file__).parent.parent.parent / "docs" / "adr"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))


def test_no_number_is_taken_twice() -> None:
    numbers = [page.name[:4] for page in PAGES]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_decision_has_its_sections(page: Path) -> None:
    text = page.read_text("utf-8")
    title, blank, status, *_ = text.splitlines()
    assert re.fullmatch(rf"# {page.name[:4]}\. .+", title)
    assert not blank
    assert status.startswith("Status: ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS

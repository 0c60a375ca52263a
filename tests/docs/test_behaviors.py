"""custody's own behaviors: code, index and pages name the same, and the code is where they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from custody.engine.gate_trial import ask_gate
from custody.store.root import Root
from custody.workspace.behaviors import survey

MADE_IN = re.compile(r"^Made in \[[^\]]+\]\(\.\./\.\./([^)]+)\)\.$", re.MULTILINE)


@pytest.mark.req("C-17")
def test_the_gate_is_passed(root: Path) -> None:
    report = ask_gate("behavior_catalog_check", repo=str(root), folder=str(root))
    assert report.result == "passed", [verdict.reason for verdict in report.verdicts]


def test_each_is_marked_where_its_page_says(root: Path) -> None:
    with Root.open(str(root)) as folder:
        found = survey(folder)
    assert len(found.pages) >= 12
    for page in found.pages:
        (file,) = MADE_IN.findall((root / page.path).read_text("utf-8"))
        assert file in {marker.path for marker in found.markers if marker.id == page.id}


def test_the_tests_that_a_page_names_are_there(root: Path) -> None:
    pages = "".join(path.read_text("utf-8") for path in (root / "docs/behaviors").glob("B*.md"))
    named = set(re.findall(r"`(tests/[\w./]+)`", pages))
    assert named
    assert [path for path in named if not (root / path).exists()] == []

"""The architecture page shows the packages and the run directory as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import codebase
from custody.model import layout


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs" / "explanation" / "architecture.md").read_text("utf-8")


def test_every_package_has_its_row(page: str) -> None:
    packages = {path.parent.name for path in (codebase.SOURCE / "custody").glob("*/__init__.py")}
    rows = re.findall(r"^\| (`.+?) \|", section(page, "The house"), re.MULTILINE)
    assert packages == {name for row in rows for name in re.findall(r"`(\w+)/`", row)}


def test_every_name_of_a_run_directory_is_in_the_picture(page: str) -> None:
    picture = section(page, "The run directory")
    files = {layout.MANIFEST, layout.PIPELINE, layout.EVENTS, layout.TRACE, layout.CHECKPOINT}
    files |= {layout.SUMMARY, layout.SUMMARY_PAGE}
    folders = {f"{folder}/" for folder in layout.WRITERS}
    assert not [name for name in files | folders if name not in picture]


def section(page: str, title: str) -> str:
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]

"""The reference says what the code says, and leaves nothing out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import codes
import reference
from custody.errors import CustodyError
from custody.model.event import FACTS
from custody.model.schemas import SCHEMAS


@pytest.mark.parametrize("name", reference.PAGES)
def test_generated_pages_are_up_to_date(root: Path, name: str) -> None:
    page = (root / "docs" / name).read_text("utf-8")
    up_to_date = page == reference.page(name)
    assert up_to_date, "run `make reference`"


def test_every_event_is_documented(root: Path) -> None:
    page = (root / "docs" / "reference" / "events.md").read_text("utf-8")
    assert [name for name in FACTS if f"\n## {name}\n" not in page] == []


def test_every_document_is_documented(root: Path) -> None:
    page = (root / "docs" / "reference" / "schemas.md").read_text("utf-8")
    documents = [name for name in SCHEMAS if not name.startswith("event")]
    assert [name for name in documents if f"\n## {name}\n" not in page] == []


def test_every_error_type_is_documented(root: Path) -> None:
    page = (root / "docs" / "reference" / "errors.md").read_text("utf-8")
    kinds: list[type[CustodyError]] = [CustodyError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    assert [kind.error_type for kind in kinds if f"| `{kind.error_type}` |" not in page] == []


def test_every_code_is_documented_and_no_other(root: Path) -> None:
    page = (root / "docs" / "reference" / "codes.md").read_text("utf-8")
    documented = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert documented == sorted(set(documented))
    used = codes.codes()
    assert {code: used[code] for code in used.keys() - set(documented)} == {}
    assert set(documented) - used.keys() == set()

"""The page about fenced blocks lists every reason, with the words that events use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from custody.ingest.blocks import REJECTIONS
from custody.ingest.fence_reasons import REASONS
from custody.model.ingest import IngestLimits


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "reference" / "fences.md").read_text("utf-8")


@pytest.mark.parametrize(("title", "codes"), [("Skipped", REASONS), ("Rejected", REJECTIONS)])
def test_every_reason_is_listed_and_no_other(page: str, title: str, codes: dict[str, str]) -> None:
    (part,) = [part for part in page.split("\n## ") if part.startswith(f"{title}\n")]
    listed = re.findall(r"^\| `(\w+)` \| (.+) \|$", part, re.MULTILINE)
    assert listed == sorted(codes.items())


def test_the_limits_are_told(page: str) -> None:
    limits = IngestLimits()
    told = (
        f"{limits.files:,} files, {limits.file_bytes >> 20} MiB each and "
        f"{limits.total_bytes >> 20} MiB in all; it is read up to {limits.blocks:,} blocks"
    )
    assert told in page

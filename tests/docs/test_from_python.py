"""Every line of the tutorial for Python does what the page shows."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest


@pytest.mark.req("U-17")
def test_the_page_shows_what_happens(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = root / "docs" / "tutorial" / "from-python.md"
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert (failed, tried > 10) == (0, True)

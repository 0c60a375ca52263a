"""Every line of the first day has a transcript, at both sizes, and ``ls`` shows which is which."""

from __future__ import annotations

import re
from pathlib import Path

from support.transcript import SCREENS, SIZES


def test_every_line_has_one(root: Path) -> None:
    text = (root / "docs" / "requirements.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| U-(\d\d) \|", text, re.MULTILINE)
    tests = sorted(path.stem for path in (root / "tests" / "transcripts").glob("test_*.py"))
    assert [name.split("_")[1] for name in tests] == [f"u{number}" for number in lines]
    for name in tests:
        number = name.split("_")[1].removeprefix("u")
        written = (root / "tests" / "transcripts" / f"{name}.py").read_text(encoding="utf-8")
        assert f'@pytest.mark.req("U-{number}"' in written, name


def test_no_screen_belongs_to_nobody(root: Path) -> None:
    tests = (root / "tests" / "transcripts").glob("test_*.py")
    names = [path.stem.removeprefix("test_") for path in tests]
    wanted = {f"{name}.{columns}.txt" for name in names for columns in SIZES}
    assert {path.name for path in SCREENS.iterdir()} == wanted

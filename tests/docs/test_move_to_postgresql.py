"""The page about moving a logbook is followed with a real server."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import walkthrough
from support.seeking import switched_off

PAGE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "move-to-postgresql.md"

pytestmark = [
    pytest.mark.req("E-10"),
    pytest.mark.skipif(switched_off(), reason="SEEKDB_ENABLE=0"),
]


def test_every_step_does_what_the_page_says(tmp_path: Path, database: str) -> None:
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
        "SERVER": database,
    }
    wrong = walkthrough.in_one_shell(PAGE.read_text("utf-8"), tmp_path, environment)
    assert not wrong, "\n\n".join(wrong)

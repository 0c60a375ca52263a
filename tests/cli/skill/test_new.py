"""``custody skill new``."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.shell import Here


@pytest.mark.req("S-12")
@pytest.mark.parametrize("tool", ["", "opensta", "innovus"])
def test_a_new_skill_passes_check(tmp_path: Path, tool: str) -> None:
    here = Here(tmp_path)
    done = here("skill", "new", "mine", *(("--tool", tool) if tool else ()))
    assert done.code == 0
    assert done.out.splitlines() == [
        "wrote subskills/mine/contract.yaml",
        "wrote subskills/mine/templates/run.tcl",
        "wrote subskills/mine/README.md",
        "wrote subskills/mine/mock/metrics.json",
        "next: custody skill check mine",
    ]
    assert here("skill", "check", "mine").out == "1 skill: 0 errors, 0 warnings\n"


def test_nothing_is_written_over(tmp_path: Path) -> None:
    here = Here(tmp_path)
    here("skill", "new", "mine")
    (tmp_path / "subskills/mine/README.md").write_text("my own\n")
    done = here("skill", "new", "mine")
    assert done.code == 1
    assert "contract.yaml exists" in done.err
    assert (tmp_path / "subskills/mine/README.md").read_text() == "my own\n"


def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    done = Here(tmp_path)("skill", "new", "../x")
    assert (done.code, [*tmp_path.parent.glob("x")]) == (1, [])

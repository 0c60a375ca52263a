"""``custody skill check``."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.shell import Here
from support.skills import FIRST


@pytest.fixture
def here(tmp_path: Path) -> Here:
    """Return a shell in a folder with a skill."""
    skill = tmp_path / "subskills/summary_health"
    (skill / "templates").mkdir(parents=True)
    (skill / "contract.yaml").write_text(FIRST)
    (skill / "templates/run.tcl").write_text("puts hello\n")
    (skill / "README.md").write_text("# It\n")
    return Here(tmp_path)


@pytest.mark.req("S-12")
def test_a_skill_that_is_whole(here: Here) -> None:
    done = here("skill", "check", "summary_health")
    assert (done.code, done.out) == (0, "1 skill: 0 errors, 0 warnings\n")


@pytest.mark.req("S-12")
def test_every_finding_is_told_with_its_place(here: Here, tmp_path: Path) -> None:
    skill = tmp_path / "subskills/summary_health"
    (skill / "contract.yaml").write_text(
        FIRST.replace("innovus", "icc").replace('"1.2.0"', "1.10").replace("reports/s", "../s")
    )
    done = here("skill", "check", "./subskills/summary_health")
    assert done.code == 1
    assert done.out.splitlines() == [
        "subskills/summary_health/contract.yaml:3:10 type 'version' is the number 1.10, not a text",
        '  hint: put it into quotes: "1.10"',
        (
            "subskills/summary_health/contract.yaml:4:7 tool 'icc' is not one of innovus, opensta, "
            "yosys, magic, netgen, tclsh"
        ),
        (
            "subskills/summary_health/contract.yaml:11:13 traversal path '../summary.rpt' "
            "is refused: a .. component leaves the directory"
        ),
        "1 skill: 3 errors, 0 warnings",
    ]
    told = here("skill", "check", "summary_health", "--json").data
    assert (told["error_type"], told["errors"]) == ("CONTRACT_INVALID", 3)
    assert [found["line"] for found in told["skills"][0]["findings"]] == [3, 4, 11]


def test_a_warning_forbids_nothing(here: Here, tmp_path: Path) -> None:
    (tmp_path / "subskills/summary_health/README.md").unlink()
    done = here("skill", "check", "summary_health")
    assert done.code == 0
    assert done.out.startswith("subskills/summary_health/README.md readme warning: nothing says")


@pytest.mark.req("S-12")
def test_without_a_name_all_skills_are_looked_at(here: Here) -> None:
    told = here("skill", "check", "--json").data
    assert told["errors"] == told["warnings"] == 0
    assert told["skills"][0]["name"] == "summary_health"
    assert len(told["skills"]) > 1


def test_a_skill_that_there_is_not_is_told(here: Here) -> None:
    done = here("skill", "check", "nowhere")
    assert done.code == 1
    assert "no skill named 'nowhere'" in done.err

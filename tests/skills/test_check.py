from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.skills.check import check_skill
from custody.skills.find import find_skill
from support.skills import FIRST


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """Return the folder of a skill that nothing is wrong with."""
    folder = tmp_path / "summary_health"
    (folder / "templates").mkdir(parents=True)
    (folder / "contract.yaml").write_text(FIRST)
    (folder / "templates/run.tcl").write_text("puts hello\n")
    (folder / "README.md").write_text("# It\n")
    return folder


def found(folder: Path) -> list[tuple[str, str]]:
    checked = check_skill(find_skill(str(folder)))
    return [(each.code, each.file) for each in checked.findings]


@pytest.mark.req("S-12")
def test_nothing_is_wrong_with_a_whole_skill(skill: Path) -> None:
    checked = check_skill(find_skill(str(skill)))
    assert checked.findings == ()
    assert checked.contract is not None


@pytest.mark.req("S-12")
def test_the_scripts_of_the_contract_must_be_there(skill: Path) -> None:
    (skill / "templates/run.tcl").write_text(" \n")
    assert found(skill) == [("empty", "templates/run.tcl")]
    (skill / "templates/run.tcl").unlink()
    assert found(skill) == [("missing", "templates/run.tcl")]
    (skill / "templates/run.tcl").symlink_to("/etc/passwd")
    assert found(skill) == [("symlink", "templates/run.tcl")]


@pytest.mark.req("S-12")
def test_a_skill_has_the_name_of_its_folder(skill: Path) -> None:
    other = skill.rename(skill.with_name("other"))
    assert found(other) == [("name", "contract.yaml")]


@pytest.mark.parametrize("name", ["restore_wrapper.tcl", "bootstrap.tcl", "run_summary_health.tcl"])
def test_no_template_takes_the_place_of_a_script_of_the_job(skill: Path, name: str) -> None:
    (skill / "templates" / name).write_text("source /etc/passwd\n")
    assert found(skill) == [("reserved", f"templates/{name}")]


@pytest.mark.req("S-10", "S-12")
def test_no_script_is_called_as_the_one_that_restores(skill: Path) -> None:
    wrapper = skill.rename(skill.with_name("wrapper"))
    named = FIRST.replace("name: summary_health", "name: wrapper")
    (wrapper / "contract.yaml").write_text(named.replace("name: run", "name: restore"))
    assert found(wrapper) == [("reserved", "contract.yaml")]


@pytest.mark.parametrize(
    ("name", "code"),
    [("lib.tcl", "symlink"), ("lib\udcff.tcl", "surrogate"), ("a\nb.tcl", "control")],
)
def test_a_template_that_cannot_be_copied(skill: Path, name: str, code: str) -> None:
    (skill / "templates" / name).symlink_to("run.tcl")
    (told,) = found(skill)
    assert told == (code, f"templates/{ascii(name)[1:-1]}")


def test_templates_that_are_no_folder(skill: Path) -> None:
    (skill / "templates/run.tcl").rename(skill / "run.tcl")
    (skill / "templates").rmdir()
    (skill / "templates").write_text("")
    contract = FIRST.replace("templates/run.tcl", "run.tcl")
    (skill / "contract.yaml").write_text(contract)
    assert found(skill) == [("not_directory", "templates")]


def test_what_scripts_source_may_hold_nothing(skill: Path) -> None:
    (skill / "templates/later.tcl").write_text("")
    (skill / "templates/notes.txt").symlink_to("/etc/passwd")
    assert found(skill) == []


def test_a_skill_without_a_page_is_warned_of(skill: Path) -> None:
    (skill / "README.md").unlink()
    (warning,) = check_skill(find_skill(str(skill))).findings
    assert (warning.code, warning.severity, warning.file) == ("readme", "warning", "README.md")


def test_a_contract_that_cannot_be_read_is_a_finding(skill: Path) -> None:
    (skill / "contract.yaml").unlink()
    assert found(skill) == [("missing", "contract.yaml")]
    (skill / "contract.yaml").symlink_to("/etc/passwd")
    assert found(skill) == [("symlink", "contract.yaml")]
    (skill / "contract.yaml").unlink()
    os.mkfifo(skill / "contract.yaml")
    assert found(skill) == [("not_regular", "contract.yaml")]


def test_a_file_may_have_the_names_that_an_installer_gives_it(skill: Path) -> None:
    os.link(skill / "contract.yaml", skill.parent / "second")
    os.link(skill / "templates/run.tcl", skill.parent / "third")
    assert found(skill) == []


def test_what_is_wrong_with_the_contract_comes_with_its_line(skill: Path) -> None:
    (skill / "contract.yaml").write_text(FIRST.replace("innovus", "icc"))
    (finding,) = check_skill(find_skill(str(skill))).findings
    assert (finding.code, finding.line) == ("tool", 4)

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import UsageError
from custody.skills.find import all_skills, find_skill
from support.skills import FIRST


def put(folder: Path, name: str) -> Path:
    skill = folder / "subskills" / name
    skill.mkdir(parents=True)
    (skill / "contract.yaml").write_text(FIRST)
    return skill


@pytest.mark.req("S-12")
def test_a_repository_s_own_skills_come_first(tmp_path: Path) -> None:
    put(tmp_path, "b")
    put(tmp_path, "a")
    (tmp_path / "subskills/empty").mkdir()
    (tmp_path / "subskills/file").write_text("")
    own = [skill for skill in all_skills(str(tmp_path)) if not skill.packaged]
    assert [(skill.name, skill.path) for skill in own] == [
        ("a", str(tmp_path / "subskills/a")),
        ("b", str(tmp_path / "subskills/b")),
    ]
    assert all_skills(str(tmp_path))[:2] == own


def test_a_skill_is_found_by_its_name_or_its_folder(tmp_path: Path) -> None:
    skill = put(tmp_path, "a")
    assert find_skill("a", str(tmp_path)).path == str(skill)
    assert find_skill(str(skill)).name == "a"
    with pytest.raises(UsageError, match="no skill named 'c'") as wrong:
        find_skill("c", str(tmp_path))
    assert "skills are a, " in wrong.value.hint
    with pytest.raises(UsageError, match=r"'\./nowhere' is not a folder"):
        find_skill("./nowhere")


def test_an_own_skill_goes_before_a_packaged_one(tmp_path: Path) -> None:
    packaged = next(skill for skill in all_skills(str(tmp_path)) if skill.packaged)
    own = put(tmp_path, packaged.name)
    assert find_skill(packaged.name, str(tmp_path)).path == str(own)

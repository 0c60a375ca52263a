from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import UsageError
from custody.model.skill.contract import TOOL_NAMES
from custody.skills.check import check_skill
from custody.skills.find import find_skill
from custody.skills.new import new_skill


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_a_new_skill_passes_the_check(tool: str, tmp_path: Path) -> None:
    for path, data in new_skill("mine", tool).items():
        (tmp_path / "mine" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / path).write_bytes(data)
    checked = check_skill(find_skill(str(tmp_path / "mine")))
    assert checked.findings == ()
    assert checked.contract is not None
    assert (checked.contract.name, checked.contract.tool) == ("mine", tool)


@pytest.mark.parametrize("name", ["", "../x", "a b", "1a", "x" * 65])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a skill"):
        new_skill(name, "tclsh")


def test_a_tool_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="no tool named 'icc'") as wrong:
        new_skill("mine", "icc")
    assert wrong.value.hint == "tools are innovus, opensta, yosys, magic, netgen, tclsh"

"""``custody skill list``."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.shell import Here
from support.skills import FIRST


@pytest.mark.req("S-12")
def test_skills_are_listed_with_what_they_are(tmp_path: Path) -> None:
    here = Here(tmp_path)
    assert here("skill", "new", "mine", "--tool", "yosys").code == 0
    broken = tmp_path / "subskills/broken"
    broken.mkdir()
    (broken / "contract.yaml").write_text(FIRST)
    lines = here("skill", "list").out.splitlines()
    assert lines[0].split(maxsplit=2)[:2] == ["broken", "own"]
    assert lines[0].endswith("broken: `custody skill check broken` says why")
    assert lines[1].split(maxsplit=4)[:4] == ["mine", "own", "yosys", "0.1.0"]
    packaged = [line.split()[0] for line in lines if line.split()[1] == "packaged"]
    assert packaged == sorted(packaged) != []
    told = here("skill", "list", "--json").data["skills"]
    assert [skill["name"] for skill in told] == ["broken", "mine", *packaged]
    assert [skill["errors"] for skill in told if skill["packaged"]] == [0] * len(packaged)
    assert told[0]["errors"] == 2

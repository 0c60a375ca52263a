"""No false PASS: whatever a tool prints and returns, the first thing that is wrong is told."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from support.false_passes import FalsePass, false_passes, lay_out
from support.skill_trial import SkillTrial

CASES = false_passes()


@pytest.mark.req("S-12", "S-13", "S-14")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_does_not_pass(case: FalsePass, tmp_path: Path) -> None:
    design = tmp_path / "design"
    design.mkdir()
    laid = lay_out(case, design)
    trial = SkillTrial(tmp_path / "run", laid.skill, laid.enc)
    trial.run()
    judged = trial.judged()
    told = f"{judged}\n{trial.acks}\n{trial.said()}"
    assert (judged.error_type, judged.by) == (case.error_type, case.by), told
    assert re.search(case.says, judged.says), told
    if case.by != "ack":
        assert {ack["status"] for ack in trial.acks.values()} == {"PASS"}, "the tool is content"


def test_there_are_many_of_each_kind() -> None:
    told = Counter(case.by for case in CASES)
    assert len(CASES) >= 20
    assert all(told[by] >= 3 for by in ("ack", "log", "outputs", "metrics"))
    assert len({case.id for case in CASES}) == len(CASES)

"""Whether the design of a job was found."""

from __future__ import annotations

import pytest

from custody.checks.gates.located import LocatedGate
from custody.model import layout
from custody.model.record import encode_pretty
from custody.model.skill.job import Located, SelectedDesign
from support.cases import case

FOUND = Located(
    query="top",
    mode="cwd_scan",
    selected=SelectedDesign(enc_path="/d/top.enc", enc_dat_path="/d/top.enc.dat"),
)


def judged(found: Located) -> list[str]:
    documents = {layout.JOB_DESIGN: encode_pretty(found)}
    return [verdict.reason for verdict in LocatedGate().judge(case(documents=documents))]


def test_a_design_that_was_found_passes() -> None:
    assert judged(FOUND) == []


@pytest.mark.req("S-11")
def test_one_that_was_not_is_told_with_the_reason() -> None:
    missing = Located(query="top", mode="cwd_scan", problem="there is no top.enc")
    assert judged(missing) == ["LOCATOR_FAIL: there is no top.enc"]

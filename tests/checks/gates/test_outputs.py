"""Whether a skill has left what it must."""

from __future__ import annotations

import pytest

from custody.checks.gates.outputs import OutputsGate
from custody.model import layout
from custody.model.record import encode_pretty
from custody.model.skill.job import Outputs
from custody.model.skill.outputs import FoundOutput, NotTaken, OutputFile
from support.cases import case

pytestmark = pytest.mark.req("S-13")


def judged(*required: FoundOutput) -> list[str]:
    documents = {layout.JOB_OUTPUTS: encode_pretty(Outputs(required=required))}
    return [verdict.reason for verdict in OutputsGate().judge(case(documents=documents))]


def found(path: str, *sizes: int, non_empty: bool = True) -> FoundOutput:
    files = tuple(OutputFile(path=f"{path}.{n}", size=size) for n, size in enumerate(sizes))
    empty = sum(not size for size in sizes)
    return FoundOutput(path=path, non_empty=non_empty, files=files, count=len(sizes), empty=empty)


def test_outputs_that_are_there_pass() -> None:
    assert judged(found("reports/a", 1, 2), found("reports/b", 0, non_empty=False)) == []


def test_one_that_is_missing_comes_before_one_that_is_empty() -> None:
    assert judged(found("reports/a", 1, 0, 0), found("reports/b")) == [
        "OUTPUT_MISSING: reports/b matches nothing",
        "OUTPUT_EMPTY: reports/a.1 is empty, and 1 more",
    ]


def test_a_symlink_is_no_output() -> None:
    link = FoundOutput(
        path="reports/a",
        non_empty=True,
        files=(),
        not_taken=(NotTaken(path="reports/a", what="symlink"),),
    )
    told = "OUTPUT_MISSING: reports/a matches no file: reports/a is a symlink"
    assert judged(link) == [told]


def test_a_search_that_was_broken_off_proves_nothing() -> None:
    cut = FoundOutput(
        path="reports/a",
        non_empty=True,
        files=(OutputFile(path="reports/a", size=1),),
        count=1,
        broken_off="more than 100000 names",
    )
    told = "OUTPUT_MISSING: reports/a was not looked through: more than 100000 names"
    assert judged(cut) == [told]

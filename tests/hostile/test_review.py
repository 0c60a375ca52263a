"""Reviews that approve, block, or only seem to."""

from __future__ import annotations

import pytest

from custody import api
from custody.model import layout
from custody.model.event import GateFailed
from support.hostile import Case, Ground, cases

PIPELINE = """t [type=write_file, output_path="docs/a.md", content="x"]
g [type=gate, stage=t, gates=review, target="%s"]
start -> t -> g -> done
"""


@pytest.mark.req("C-18")
@pytest.mark.parametrize("case", cases("review"), ids=str)
def test_review(case: Case, ground: Ground) -> None:
    path = layout.REVIEW_CONTRACT
    result = ground.run(PIPELINE % path, documents={path: case.input.encode()})
    failed = [fact for fact in ground.facts() if isinstance(fact, GateFailed)]
    codes = [verdict.code for fact in failed for verdict in fact.verdicts]
    if case.expect == "accept:approve":
        assert (result.summary.status, codes) == ("PASS", [])
    else:
        assert (result.summary.status, codes) == ("FAIL", [case.code])
    assert api.replay("r1", runsdir=str(ground.runsdir)).status == result.summary.status

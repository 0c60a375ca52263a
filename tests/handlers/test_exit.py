"""Where a run ends, well or not."""

from __future__ import annotations

import pytest

from custody import api
from support.bench import Bench


@pytest.mark.parametrize(
    ("attribute", "status"), [("", "PASS"), (", status=success", "PASS"), (", status=fail", "FAIL")]
)
def test_an_exit_says_how_the_run_ended(bench: Bench, attribute: str, status: str) -> None:
    result = bench.run(f"end [shape=Msquare{attribute}] start -> end start -> done [weight=-1]")
    assert result.summary.status == status
    if status == "FAIL":
        assert result.summary.unhandled == {"end": "reached exit end"}


def test_another_status_is_a_finding(bench: Bench) -> None:
    path = bench.pipeline(
        'end [shape=Msquare, status=maybe] a [prompt="x"]'
        ' start -> a a -> done a -> end [condition="outcome=fail"]'
    )
    _, findings = api.check(path)
    assert [finding.message for finding in findings] == [
        "status of an exit is success or fail, not 'maybe'"
    ]

"""Whether the metrics of a skill can be believed."""

from __future__ import annotations

import pytest

from custody.checks.gates.metrics import MetricsGate
from custody.model import layout
from custody.model.record import encode_pretty
from custody.model.skill.job import Outputs
from custody.model.skill.metric import MetricValue
from support.cases import case
from support.jobs import CONTRACT

pytestmark = pytest.mark.req("S-14")


def judged(metrics: dict[str, MetricValue], problem: str = "") -> list[str]:
    outputs = Outputs(required=(), metrics=metrics, metrics_problem=problem)
    documents: dict[str, str | bytes] = {
        layout.JOB_CONTRACT: CONTRACT,
        layout.JOB_OUTPUTS: encode_pretty(outputs),
    }
    return [verdict.reason for verdict in MetricsGate().judge(case(documents=documents))]


def test_a_metric_within_its_bounds_passes() -> None:
    assert judged({"cells": 42, "other": "text"}) == []


@pytest.mark.parametrize(
    ("metrics", "reason"),
    [
        ({}, "OUTPUT_MISSING: metric cells is missing"),
        ({"cells": 0}, "CMD_FAIL: metric cells is 0, under the least of 1"),
        ({"cells": "many"}, "CMD_FAIL: metric cells is 'many', not a number"),
    ],
)
def test_one_that_is_missing_or_out_of_bounds(metrics: dict[str, MetricValue], reason: str) -> None:
    assert judged(metrics) == [reason]


def test_metrics_that_cannot_be_read_are_told_alone() -> None:
    assert judged({}, "reports/metrics.json: it is no JSON") == [
        "CMD_FAIL: reports/metrics.json: it is no JSON"
    ]

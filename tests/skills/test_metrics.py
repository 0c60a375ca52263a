from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import MalformedDocument, RunError, UsageError
from custody.model.skill.metric import MetricRule
from custody.skills.metrics import (
    ComparedFigure,
    Figures,
    Threshold,
    compare,
    read_figures,
    read_thresholds,
)
from support.skills import NEWEST

RULES = {
    "wns": MetricRule(unit="ns", direction="higher"),
    "cells": MetricRule(direction="lower"),
    "clocks": MetricRule(),
}


def job(run: str, **metrics: Any) -> Figures:
    return Figures(run=run, status="PASS", metrics=metrics, rules=RULES)


def one(name: str, figures: tuple[ComparedFigure, ...]) -> ComparedFigure:
    (found,) = (figure for figure in figures if figure.name == name)
    return found


@pytest.mark.req("S-14")
@pytest.mark.parametrize(
    ("name", "before", "after", "threshold", "verdict", "regression"),
    [
        ("wns", -0.1, -0.1, "", "same", False),
        ("wns", -0.1, -0.05, "", "better", False),
        ("wns", -0.1, -0.11, "", "worse", True),
        ("wns", -0.1, -0.15, "wns=0.05", "worse", False),
        ("wns", -0.1, -0.151, "wns=0.05", "worse", True),
        ("wns", -1.0, -1.1, "wns=10%", "worse", False),
        ("wns", -1.0, -1.2, "wns=10%", "worse", True),
        ("wns", 0, -0.001, "wns=10%", "worse", True),
        ("wns", -0.1, None, "", "missing", True),
        ("wns", None, -0.1, "", "new", False),
        ("wns", None, None, "", "same", False),
        ("wns", -0.1, "NaN", "", "changed", True),
        ("wns", "none", -0.1, "", "changed", False),
        ("wns", -0.1, 10**400, "", "changed", True),
        ("wns", 10**400, 1.5, "", "changed", False),
        ("wns", 10**400, 10**400, "", "same", False),
        ("cells", 100, 90, "", "better", False),
        ("cells", 100, 101, "", "worse", True),
        ("cells", 100, 102, "cells=2%", "worse", False),
        ("cells", 100, 103, "cells=2%", "worse", True),
        ("clocks", 1, 2, "", "changed", False),
        ("clocks", 1, None, "", "missing", False),
        ("top", "a", "b", "", "changed", False),
        ("top", "a", "a", "", "same", False),
        ("other", 1, 2, "", "changed", False),
    ],
)
def test_what_counts_as_a_regression(
    name: str, before: Any, after: Any, threshold: str, verdict: str, *, regression: bool
) -> None:
    runs = [
        job(run, **({} if v is None else {name: v})) for run, v in (("a", before), ("b", after))
    ]
    runs[0].metrics.setdefault("top", "a")  # type: ignore[attr-defined]
    runs[1].metrics.setdefault("top", "a")  # type: ignore[attr-defined]
    figures = compare(runs, read_thresholds([threshold] if threshold else []))
    (found,) = one(name, figures).after
    assert (found.verdict, found.regression) == (verdict, regression)


@pytest.mark.req("S-14")
def test_every_run_stands_beside_the_first() -> None:
    figures = compare([job("a", cells=10), job("b", cells=12), job("c", cells=9)], {})
    assert [(each.value, each.change) for each in one("cells", figures).after] == [(12, 2), (9, -1)]


def test_a_changed_contract_turns_no_loss_into_a_gain() -> None:
    other = job("b", cells=12)._replace(rules={"cells": MetricRule(direction="higher")})
    assert one("cells", compare([job("a", cells=10), other], {})).after[0].regression


def test_a_run_that_fails_where_the_first_one_passed_is_a_regression() -> None:
    runs = [job("a", cells=1), job("b", cells=1)._replace(status="FAIL")]
    assert one("status", compare(runs, {})).after[0] == (("FAIL", None, "worse", True))
    assert one("status", compare(runs[::-1], {})).after[0].verdict == "better"
    assert one("status", compare(runs[1:] * 2, {})).after[0].verdict == "same"


def test_time_tokens_and_cost_are_judged_by_a_threshold_only() -> None:
    runs = [
        Figures("a", "PASS", costs={"seconds": 1.0, "fix.tokens": 100}),
        Figures("b", "PASS", costs={"seconds": 1.5, "fix.tokens": 300}),
    ]
    figures = compare(runs, {})
    assert [figure.name for figure in figures] == ["status", "seconds", "fix.tokens"]
    assert [figure.after[0].verdict for figure in figures] == ["same", "worse", "worse"]
    assert not any(figure.after[0].regression for figure in figures)
    figures = compare(runs, {"fix.tokens": Threshold(0.5, relative=True)})
    assert [figure.after[0].regression for figure in figures] == [False, False, True]


def test_jobs_are_not_compared_stage_by_stage() -> None:
    run = job("a", cells=1)._replace(costs={"seconds": 1.0, "INIT.seconds": 0.5})
    names = [figure.name for figure in compare([run, run], {})]
    assert names == ["status", "wns", "cells", "clocks", "seconds"]


@pytest.mark.parametrize("word", ["wns", "=1", "wns=", "wns=-1", "wns=1e3", "wns=nan", "wns=1%%"])
def test_a_threshold_that_is_none_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="is not a threshold"):
        read_thresholds([word])


def test_thresholds() -> None:
    assert read_thresholds(["a=0.5", "b=2%", "c.seconds=1"]) == {
        "a": Threshold(0.5, relative=False),
        "b": Threshold(0.02, relative=True),
        "c.seconds": Threshold(1.0, relative=False),
    }
    with pytest.raises(UsageError, match="'a' has two thresholds"):
        read_thresholds(["a=1", "a=2"])
    for name, why in (("clocks", "has no direction"), ("nope", "is no figure of these runs")):
        with pytest.raises(UsageError, match=why):
            compare([job("a", cells=1)] * 2, {name: Threshold(1, relative=False)})


SUMMARY = {
    "schema_version": "1.0",
    "run_id": "r1",
    "status": "PASS",
    "active_seconds": 4.5,
    "usage": {"tokens": 30, "cost_usd": 0.5, "answers": 3},
    "stages": [
        {"node": "fix", "seconds": 1.0, "usage": {"tokens": 10, "cost_usd": 0.25}},
        {"node": "fix", "seconds": 1.5, "usage": {"tokens": 20}},
        {"node": "test", "seconds": 2.0},
    ],
}


def put(folder: Path, **more: Any) -> str:
    (folder / "summary.json").write_text(json.dumps({**SUMMARY, **more}))
    return str(folder)


def test_the_figures_of_any_run(tmp_path: Path) -> None:
    found = read_figures(put(tmp_path))
    assert (found.run, found.status, found.skill, found.metrics) == ("r1", "PASS", "", {})
    assert found.costs == {
        "seconds": 4.5, "tokens": 30, "cost_usd": 0.5,
        "fix.seconds": 2.5, "fix.tokens": 30, "fix.cost_usd": 0.25, "test.seconds": 2.0,
    }  # fmt: skip


@pytest.mark.req("S-14")
def test_the_figures_of_a_job(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/contract.yaml").write_text(NEWEST)
    skill = {"name": "summary_health", "version": "1.0.0"}
    place = put(
        tmp_path, job_id="j1", skill=skill, error_type="OK", metrics={"wns": -0.5, "top": "x"}
    )
    found = read_figures(place)
    assert (found.run, found.skill, found.error_type) == ("j1", "summary_health 1.0.0", "OK")
    assert found.metrics == {"wns": -0.5, "top": "x"}
    assert found.rules["wns"].direction == "higher"


def test_a_contract_that_is_none_gives_no_rules(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/contract.yaml").write_text("nothing: here")
    assert read_figures(put(tmp_path, metrics={"a": 1})).rules == {}


def test_a_run_without_a_summary_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"there is no summary\.json"):
        read_figures(str(tmp_path))
    (tmp_path / "summary.json").write_text("[]")
    with pytest.raises(MalformedDocument):
        read_figures(str(tmp_path))


VALUES = st.none() | st.integers(-1000, 1000) | st.floats(-1e9, 1e9) | st.text(max_size=3)
DIRECTIONS = st.sampled_from(["higher", "lower", "none"])


@given(st.lists(VALUES, min_size=2, max_size=4), DIRECTIONS, st.floats(0, 100))
def test_whatever_is_compared_has_a_verdict(
    values: list[Any], direction: Any, amount: float
) -> None:
    rules = {"x": MetricRule(direction=direction), "y": MetricRule()}
    runs = [
        Figures("r", "PASS", metrics={"y": 1} | ({} if v is None else {"x": v}), rules=rules)
        for v in values
    ]
    thresholds = {} if direction == "none" else {"x": Threshold(amount, relative=False)}
    figure = one("x", compare(runs, thresholds))
    for value, found in zip(values[1:], figure.after, strict=True):
        if found.regression:
            assert direction != "none"
            assert found.verdict in {"worse", "missing", "changed"}
        if value == values[0]:
            assert found.verdict == "same"


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.sampled_from(["higher", "lower"]))
def test_better_there_is_worse_back(before: float, after: float, direction: Any) -> None:
    rules = {"x": MetricRule(direction=direction)}
    runs = [Figures("r", "PASS", metrics={"x": value}, rules=rules) for value in (before, after)]
    there = one("x", compare(runs, {})).after[0].verdict
    back = one("x", compare(runs[::-1], {})).after[0].verdict
    assert (there, back) in {("better", "worse"), ("worse", "better"), ("same", "same")}

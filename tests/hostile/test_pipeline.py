"""Pipelines that must not run, or only with a warning, and some that look worse than they are."""

from __future__ import annotations

import pytest

from support.hostile import Case, Ground, cases, custody, known


@pytest.mark.req("P-01", "P-02")
@pytest.mark.parametrize("case", cases("pipeline"), ids=str)
def test_pipeline(case: Case, ground: Ground) -> None:
    text = ground.source(case.input)
    verdict = known({"accept": accepted, "warn": warned, "reject": rejected}, case.kind, case)
    verdict(case, ground, text)


def rejected(case: Case, ground: Ground, text: str) -> None:
    """`check` names the fault; `run` lists the same and creates nothing."""
    checked = custody("check", text, "--json")
    assert checked.code == 1
    findings = checked.data["files"][0]["findings"]
    errors = [item for item in findings if item["severity"] == "error"]
    assert case.code in {item["code"] for item in errors}
    assert all(item["line"] and item["column"] for item in errors if item["code"] == "syntax")
    before = ground.surroundings()
    run = ground.start(text)
    assert run.code == 1
    assert run.data["error_type"] == "PIPELINE_INVALID"
    assert run.data["findings"] == findings
    assert not ground.runsdir.exists()
    assert ground.surroundings() == before


def warned(case: Case, ground: Ground, text: str) -> None:
    checked = custody("check", text, "--json")
    assert checked.code == 0
    findings = checked.data["files"][0]["findings"]
    assert [item["severity"] for item in findings] == ["warning"] * len(findings)
    assert case.code in {item["code"] for item in findings}
    runs(ground, text)


def accepted(_case: Case, ground: Ground, text: str) -> None:
    checked = custody("check", text, "--json")
    assert (checked.code, checked.data["errors"]) == (0, 0)
    runs(ground, text)


def runs(ground: Ground, text: str) -> None:
    """A pipeline that is taken runs to an end of its own, well or badly."""
    run = ground.start(text)
    assert run.data["summary"]["status"] == ("FAIL" if run.code else "PASS")
    assert ground.ask("verify").code == 0

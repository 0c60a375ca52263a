"""Every protocol file has a schema, and what is written fits it."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from custody.errors import UsageError
from custody.model.event import FACTS
from custody.model.schemas import SCHEMAS, json_schema
from support.bench import Bench


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(json_schema(name))


def test_every_fact_has_one() -> None:
    assert {f"event.{name}" for name in FACTS} <= SCHEMAS.keys()


def test_an_unknown_name_is_told_with_those_that_are_known() -> None:
    with pytest.raises(UsageError, match="no schema named 'nothing'") as refused:
        json_schema("nothing")
    assert "manifest" in refused.value.hint


def test_what_a_run_writes_fits(bench: Bench) -> None:
    bench.run('work [prompt="x"] start -> work -> done')
    files = {
        "manifest": "manifest.json",
        "checkpoint": "checkpoint.json",
        "summary": "summary.json",
        "status": "nodes/work/1.1/status.json",
        "workspace.diff": "nodes/work/1.1/workspace.diff.json",
    }
    for name, path in files.items():
        Draft202012Validator(json_schema(name)).validate(json.loads(bench.path(path).read_text()))
    for line in bench.path("events.jsonl").read_text().splitlines():
        told = json.loads(line)
        Draft202012Validator(json_schema("event")).validate(told)
        Draft202012Validator(json_schema(f"event.{told['event']}")).validate(told["data"])

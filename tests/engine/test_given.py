"""What would not count is refused, and nothing is changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from custody import api, load
from custody.engine.given import refuse_missing_agents
from custody.errors import UsageError
from custody.model.event import StageStarted
from support.bench import Bench
from support.ending import ends_before

BODY = 'a [prompt="$goal ${name}"]\nb [prompt="x"]\nstart -> a -> b -> done'
GRAPH = 'var.name="n"'
OTHERS: dict[str, dict[str, Any]] = {
    "agent": {"agent": "stub", "by_name": ["agent"]},
    "source": {"workdir": "/nowhere"},
    "variable": {"variables": {"name": "m"}},
    "level": {"confinement": "L1"},
    "ingest": {"ingest": "forced"},
}


def again(bench: Bench, **options: Any) -> str:
    found = {"agent": "fake", "workdir": str(bench.workdir), "variables": {"name": "k"}, **options}
    pipeline = str(bench.home / "pipeline.dot")
    runsdir = str(bench.runsdir)
    return api.run(
        pipeline, runsdir=runsdir, run_id="r1", resume_existing=True, **found
    ).summary.status


@pytest.mark.req("G-27")
@pytest.mark.parametrize("ended", [True, False], ids=["ended", "left"])
@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_settings_that_would_not_count_are_refused(
    bench: Bench, other: dict[str, Any], ended: bool
) -> None:
    if ended:
        bench.run(BODY, graph=GRAPH, variables={"name": "k"})
    else:
        with ends_before(StageStarted, "b"):
            bench.run(BODY, graph=GRAPH, variables={"name": "k"})
    before = bench.path("events.jsonl").read_bytes()
    with pytest.raises(UsageError, match="was begun otherwise"):
        again(bench, **other)
    assert bench.path("events.jsonl").read_bytes() == before
    assert again(bench) == "PASS"


def test_what_a_caller_has_by_default_is_not_given(bench: Bench) -> None:
    with ends_before(StageStarted, "b"):
        bench.run(BODY, graph=GRAPH, variables={"name": "k"})
    assert again(bench, agent="stub", ingest="on", by_name=[]) == "PASS"


@pytest.mark.req("U-02")
def test_a_stage_that_needs_an_agent_needs_one_that_is_there(bench: Bench) -> None:
    pipeline = load(Path(bench.pipeline(BODY, graph=GRAPH)).read_text())
    with pytest.raises(UsageError, match="no agent is named, but a, b need one"):
        refuse_missing_agents(pipeline, "")
    with pytest.raises(UsageError, match="nobody"):
        refuse_missing_agents(pipeline, "nobody")
    refuse_missing_agents(pipeline, "stub")

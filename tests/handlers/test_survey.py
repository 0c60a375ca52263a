"""A survey of the workspace, written down and judged, and judged again by a replay."""

from __future__ import annotations

import json

import pytest

from custody import api
from custody.model import layout
from custody.model.event import GateFailed, GatePassed
from support.bench import Bench
from support.catalog import put_catalog
from support.contracts import EXPECTED

pytestmark = pytest.mark.req("C-17")
PIPELINE = "s [type=survey]\nstart -> s -> done"


def judged(bench: Bench) -> list[str]:
    facts = [fact for fact in bench.facts() if isinstance(fact, GatePassed | GateFailed)]
    return [f"{fact.gate} {type(fact).__name__}" for fact in facts]


def test_a_catalog_that_holds(bench: Bench) -> None:
    put_catalog(bench.workdir)
    result = bench.run(PIPELINE, documents={layout.EXPECTED_RESULTS: EXPECTED.encode()})
    assert result.summary.status == "PASS"
    found = json.loads(bench.path(layout.SURVEY).read_text())
    assert [marker["id"] for marker in found["markers"]] == ["B001"]
    assert found["evidence"] == [{"path": "docs/greeting.md", "exists": False}]
    assert judged(bench) == ["behavior_catalog_check GatePassed"]
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "PASS"


def test_one_that_does_not(bench: Bench) -> None:
    put_catalog(bench.workdir)
    (bench.workdir / "docs/behaviors/INDEX.md").unlink()
    assert bench.run(PIPELINE).summary.status == "FAIL"
    assert judged(bench) == ["behavior_catalog_check GateFailed"]
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "FAIL"


def test_one_that_is_judged_later_is_kept(bench: Bench) -> None:
    put_catalog(bench.workdir)
    (bench.workdir / "docs/behaviors/INDEX.md").unlink()
    body = "s [type=survey, judged_later=true]\nstart -> s -> done"
    assert bench.run(body).summary.status == "PASS"
    assert judged(bench) == []
    assert json.loads(bench.path(layout.SURVEY).read_text())["index"] is False

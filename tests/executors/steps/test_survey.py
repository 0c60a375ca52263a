"""The step that looks through the workspace."""

from __future__ import annotations

import json
from pathlib import Path

from custody.executors.commands import CommandRunner
from custody.executors.steps import carry_out
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.request import StepRequest
from support.catalog import put_catalog
from support.contracts import EXPECTED
from support.stages import StageSite


def runner() -> CommandRunner:
    raise AssertionError("no program is started here")


def test_what_it_finds_is_a_document(place: StageSite) -> None:
    stage = place.stage()
    put_catalog(Path(stage.workspace.path))
    request = StepRequest(
        id="a/1.1",
        timeout=1.0,
        step="survey",
        inputs={"expected_results": Evidence.of_text(layout.EXPECTED_RESULTS, EXPECTED)},
        writes=(layout.SURVEY,),
    )
    ack = carry_out(request, stage, runner)
    assert (ack.status, ack.notes) == ("ok", "1 behaviors, 3 files")
    found = json.loads(Path(stage.run.path, layout.SURVEY).read_text())
    assert [entry["id"] for entry in found["entries"]] == ["B001"]
    assert [each["path"] for each in found["evidence"]] == ["docs/greeting.md"]

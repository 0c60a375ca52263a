"""The step that looks at what a skill has left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody.executors.commands import CommandRunner
from custody.executors.steps import carry_out
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.request import StepRequest
from support.jobs import CONTRACT
from support.stages import StageSite


def runner() -> CommandRunner:
    raise AssertionError("no program is started here")


@pytest.mark.req("S-13", "S-14")
def test_it_writes_down_what_there_is(place: StageSite) -> None:
    stage = place.stage()
    run = Path(stage.run.path)
    (run / "reports").mkdir()
    (run / "reports" / "cells.rpt").write_text("cells 42\n")
    (run / "reports" / "metrics.json").write_text('{"cells": 42}')
    request = StepRequest(
        id="a/1.1",
        timeout=1.0,
        step="validate_outputs",
        inputs={"contract": Evidence.of_text(layout.JOB_CONTRACT, CONTRACT)},
        writes=(layout.JOB_OUTPUTS, layout.JOB_METRICS),
    )
    ack = carry_out(request, stage, runner)
    assert (ack.status, ack.notes) == ("ok", "2 files, 1 metrics")
    assert ack.context_updates == {"job.metrics": {"cells": 42}}
    found = json.loads((run / layout.JOB_OUTPUTS).read_text())
    assert [one["files"] for one in found["required"]] == [
        [{"path": "reports/cells.rpt", "size": 9}]
    ]
    assert [one["path"] for one in found["inventory"]] == [
        "reports/cells.rpt",
        "reports/metrics.json",
    ]
    assert json.loads((run / layout.JOB_METRICS).read_text()) == {"cells": 42}

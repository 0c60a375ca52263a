"""The step that looks at what a skill has left."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from custody import api
from custody.executors.commands import CommandRunner
from custody.executors.sessions import Sessions
from custody.executors.steps import carry_out
from custody.model import layout
from custody.model.event import RequestAnswered
from custody.model.evidence import Evidence
from custody.model.request import StepRequest
from custody.store.root import Root
from support.jobs import CONTRACT, QUICK, SCRIPT, JobSite
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
    with Root.open(str(run)) as root:
        ack = carry_out(request, stage, runner, lambda: Sessions(root, {}))
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
    vouched = {one.path: one.sha256 for one in ack.evidence}
    assert vouched["reports/cells.rpt"] == hashlib.sha256(b"cells 42\n").hexdigest()
    assert {"reports/metrics.json", layout.JOB_OUTPUTS, layout.JOB_METRICS} <= {*vouched}


LATER = """\
after 0 {
    while {[glob -nocomplain $env(SP_RUN_DIR)/ack/*_run.json] eq ""} {after 1}
    puts SAYS
    BODY
}
""".replace("BODY", SCRIPT)
"""A script that does everything once its ack was published, which it can see at L1."""


@pytest.mark.timeout(120)
@pytest.mark.req("S-13", "S-15")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_what_a_script_lets_be_done_later_is_judged_too(tmp_path: Path, stream: str) -> None:
    site = JobSite(tmp_path)
    site.script(LATER.replace("SAYS", f"{stream} {{Error: lost}}"))
    job = site.run(confinement="L1")
    assert job.verdict == ("FAIL", "CMD_FAIL")
    said = "after the last script had ended the log says: Error: lost"
    assert job.manifest["message"] == said
    assert (job.path / "reports" / "cells.rpt").is_file()
    assert not api.replay(str(job.path)).divergence


@pytest.mark.timeout(120)
def test_what_is_done_later_without_an_error_is_taken(tmp_path: Path) -> None:
    site = JobSite(tmp_path)
    site.script(LATER.replace("SAYS", "{Error: 0 found}"))
    assert site.run(confinement="L1").verdict == ("PASS", "OK")


@pytest.mark.req("S-14", "S-18")
@pytest.mark.parametrize(
    ("version", "verdict"), [("1.0", ("PASS", "OK")), ("1.1", ("FAIL", "CMD_FAIL"))]
)
def test_version_1_0_knows_no_file_of_metrics(
    tmp_path: Path, version: str, verdict: tuple[str, str]
) -> None:
    """A skill of 1.0 may leave a report that is called so, in a form of its own."""
    site = JobSite(tmp_path)
    first, _, _ = CONTRACT.partition("error_patterns:")
    hints = "debug_hints: [look at it, look again]\n"
    text = (first + hints).replace('"1.1"', f'"{version}"').replace("tclsh", "innovus")
    site.contract(text)
    site.own(QUICK.replace("tools.tclsh]", 'tools.innovus]\ncommand = ["tclsh"]'))
    nested = 'set file [open $env(SP_REPORTS_DIR)/metrics.json w]\nputs $file {{"a": [1]}}\n'
    site.script(f"{SCRIPT}{nested}close $file\n")
    job = site.run()
    assert job.verdict == verdict, job.manifest["message"]
    (ack,) = (fact.ack for fact in job.facts() if isinstance(fact, RequestAnswered)
              and fact.node == "VALIDATE_OUTPUTS")  # fmt: skip
    assert ("left aside: reports/metrics.json: " in ack.notes) == (version == "1.0")
    assert job.read("summary.json")["metrics"] == {}

"""A program at L1 that outlived its supervisor is found before a resume goes on."""

from __future__ import annotations

import os
import subprocess

import pytest

from custody import api
from custody.engine import outlived
from custody.errors import RunLocked
from custody.model.event import StageStarted
from support.bench import Bench
from support.ending import ends_before

BODY = (
    't [type=tool, tool_command="true"]\nu [type=tool, tool_command="true"]\n'
    "start -> t -> u -> done"
)


@pytest.mark.req("G-27")
def test_a_program_that_goes_on_is_found(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlived, "PATIENCE", 0.1)
    with ends_before(StageStarted, "u"):
        bench.run(BODY, confinement="L1")
    runsdir = str(bench.runsdir)
    environment = {**os.environ, "XDG_CACHE_HOME": f"{bench.path('')}/cache/xdg"}
    with subprocess.Popen(["sleep", "1000"], env=environment) as program:
        with pytest.raises(RunLocked, match=str(program.pid)):
            api.resume("r1", runsdir=runsdir)
        program.kill()
    assert api.resume("r1", runsdir=runsdir).summary.status == "PASS"


def test_every_program_of_a_stage_can_be_found(bench: Bench) -> None:
    body = "t [type=tool, tool_command=\"sh -c 'echo $XDG_CACHE_HOME'\"]\nstart -> t -> done"
    bench.run(body, confinement="L1")
    printed = bench.path("nodes/t/1.1/tool.stdout.log").read_text()
    assert printed.startswith(f"{bench.path('')}/")

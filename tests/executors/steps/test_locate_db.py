"""The step that finds the design of a job."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody.executors.commands import CommandRunner
from custody.executors.steps import carry_out
from custody.model import layout
from custody.model.request import Ack, StepRequest
from support.stages import StageSite

pytestmark = pytest.mark.req("S-10", "S-11")


def runner() -> CommandRunner:
    raise AssertionError("no program is started here")


def locate(place: StageSite, cwd: Path, query: str) -> tuple[Ack, Path]:
    stage = place.stage()
    request = StepRequest(
        id="a/1.1",
        timeout=1.0,
        step="locate_db",
        settings={"design": query, "select": "", "cwd": str(cwd)},
        writes=(layout.JOB_DESIGN, layout.RESTORE_WRAPPER),
    )
    return carry_out(request, stage, runner), Path(stage.run.path)


def test_a_design_that_is_found_gets_its_wrapper(place: StageSite, tmp_path: Path) -> None:
    (tmp_path / "d" / "top.enc.dat").mkdir(parents=True)
    (tmp_path / "d" / "top.enc").write_text("")
    ack, run = locate(place, tmp_path / "d", "top")
    enc = f"{tmp_path}/d/top.enc"
    assert (ack.status, ack.notes) == ("ok", enc)
    assert f'set enc_path "{enc}"' in (run / layout.RESTORE_WRAPPER).read_text()
    found = json.loads((run / layout.JOB_DESIGN).read_text())
    told = json.loads(json.dumps(ack.context_updates["job.design"]))
    assert found == {"schema_version": "1.0", **told}
    assert found["selected"]["enc_dat_path"] == f"{enc}.dat"


def test_one_that_is_not_is_told_and_gets_none(place: StageSite, tmp_path: Path) -> None:
    ack, run = locate(place, tmp_path, "gone")
    assert ack.status == "ok"  # a gate judges it
    assert ack.notes.startswith("there is no gone.enc")
    assert not (run / layout.RESTORE_WRAPPER).exists()


def test_one_whose_path_no_script_can_hold_is_none(place: StageSite, tmp_path: Path) -> None:
    folder = tmp_path / "a\nb"
    (folder / "top.enc.dat").mkdir(parents=True)
    (folder / "top.enc").write_text("")
    ack, run = locate(place, folder, "top")
    assert "control character" in ack.notes
    assert not (run / layout.RESTORE_WRAPPER).exists()

"""Steps of custody's own: what they are given, and what they may write."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import Refused
from custody.executors.commands import CommandRunner
from custody.executors.steps import StepWork, carry_out
from custody.model.evidence import Evidence
from custody.model.request import StepRequest
from support.stages import StageSite

GIVEN = Evidence.of_text("artifacts/in.md", "what was given\n")


def runner() -> CommandRunner:
    raise AssertionError("no program is started here")


def request(**fields: object) -> StepRequest:
    return StepRequest(id="a/1.1", timeout=1.0, step="none", **fields)  # type: ignore[arg-type]


def test_a_step_reads_what_it_was_given_by_the_names_it_knows(place: StageSite) -> None:
    stage = place.stage()
    step = StepWork(request(inputs={"plan": GIVEN}), stage, runner)
    assert step.read("plan") == b"what was given\n"
    assert step.read("other") is None


def test_a_step_writes_the_documents_that_were_announced(place: StageSite) -> None:
    stage = place.stage()
    step = StepWork(request(writes=("artifacts/out.json",)), stage, runner)
    written = step.write("artifacts/out.json", b"{}\n")
    assert Path(stage.run.path, written.path).read_bytes() == b"{}\n"
    assert step.done("made").evidence == (written,)


def test_a_step_writes_no_other(place: StageSite) -> None:
    stage = place.stage()
    step = StepWork(request(), stage, runner)
    with pytest.raises(Refused, match="may not write"):
        step.write("artifacts/out.json", b"{}\n")


def test_a_document_of_a_step_holds_no_secret(place: StageSite) -> None:
    stage = place.stage()
    clean = stage.folder.cleaned_by(lambda data: data.replace(b"hunter2", b"[redacted]"))
    step = StepWork(request(writes=("artifacts/a.md",)), stage._replace(folder=clean), runner)
    assert step.write("artifacts/a.md", b"it is hunter2\n").text == "it is [redacted]\n"


def test_what_is_no_text_is_kept_as_a_blob(place: StageSite) -> None:
    stage = place.stage()
    step = StepWork(request(writes=("artifacts/a.bin",)), stage, runner)
    written = step.write("artifacts/a.bin", b"\xff\xfe")
    assert written.text is None
    assert stage.run.document(written) == b"\xff\xfe"


def test_a_step_that_there_is_not_is_refused(place: StageSite) -> None:
    stage = place.stage()
    with pytest.raises(Refused, match="no step 'none'"):
        carry_out(request(), stage, runner)

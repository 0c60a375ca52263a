"""What the steps of a job share."""

from __future__ import annotations

import pytest

from custody.errors import Refused
from custody.executors.commands import CommandRunner
from custody.executors.jobs import FAULT, failed, faultless, utc_now
from custody.executors.steps import StepWork
from custody.model.request import Ack, StepRequest
from support.stages import StageSite


def runner() -> CommandRunner:
    raise AssertionError("no program is started here")


def step(place: StageSite) -> StepWork:
    request = StepRequest(id="a/1.1", timeout=1.0, step="none", writes=("docs/a.json",))
    return StepWork(request, place.stage(), runner)


def test_a_failure_keeps_what_was_written(place: StageSite) -> None:
    work = step(place)
    written = work.write("docs/a.json", b"{}\n")
    ack = failed(work, "CMD_FAIL", "no such net", "what it printed")
    assert (ack.status, ack.failure_reason, ack.failure_summary, ack.evidence) == (
        "failed",
        "CMD_FAIL: no such net",
        "what it printed",
        (written,),
    )


@pytest.mark.req("S-15")
def test_a_mistake_in_a_step_is_an_internal_error(place: StageSite) -> None:
    @faultless
    def divides(work: StepWork) -> Ack:
        return work.done(str(1 // int(work.request.timeout - 1)))

    ack = divides(step(place))
    assert ack.failure_reason.startswith("INTERNAL_ERROR: ZeroDivisionError: ")
    assert ack.evidence[-1].path.endswith(FAULT)
    assert "Traceback" in (ack.evidence[-1].text or "")


def test_what_the_engine_knows_passes(place: StageSite) -> None:
    @faultless
    def refuses(_work: StepWork) -> Ack:
        raise Refused("missing", "there is nothing")

    with pytest.raises(Refused):
        refuses(step(place))


def test_times_are_those_of_the_documents() -> None:
    assert utc_now()[10] == "T"
    assert utc_now().endswith("Z")

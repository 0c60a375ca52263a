"""Each request goes to the executor of its kind, loaded when it is first needed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from custody.checks.guards.secrets import Redactor
from custody.executors.dispatch import Dispatch
from custody.model.evidence import Evidence
from custody.model.request import AnyRequest, VerificationRequest, WriteRequest
from support.stages import StageSite, agent_request, tool_request


@pytest.fixture
def dispatch(place: StageSite) -> Iterator[Dispatch]:
    """Return the executor of all requests."""
    with closing(Dispatch(place.run.root, {}, Redactor({}))) as made:
        yield made


@pytest.mark.parametrize(
    "request_",
    [
        agent_request(),
        tool_request("true"),
        VerificationRequest(
            id="n/1.1",
            timeout=1,
            plan=Evidence.of_text("plan", ""),
            required_files=(),
            lines=(),
        ),
        WriteRequest(id="n/1.1", timeout=1, document=Evidence.of_text("docs/a.md", "x")),
    ],
    ids=lambda request: type(request).__name__,
)
def test_every_kind_is_carried_out(
    place: StageSite, dispatch: Dispatch, request_: AnyRequest
) -> None:
    ack = dispatch.execute(request_, place.stage())
    assert (ack.request_id, ack.status) == ("n/1.1", "ok")
    assert ack.evidence


def test_of_a_process_or_a_document_nothing_is_recovered(
    place: StageSite, dispatch: Dispatch
) -> None:
    stage = place.stage()
    assert dispatch.recover(tool_request("touch ran"), stage) is None
    assert dispatch.recover(agent_request("stub"), stage) is None
    assert place.files == {}


def test_without_a_session_leaving_costs_nothing(place: StageSite, dispatch: Dispatch) -> None:
    dispatch.leave("done", place.told.append)
    assert place.told == []
    assert not place.run.root.exists("sessions")


def test_nothing_is_loaded_before_it_is_needed() -> None:
    code = "import sys, custody.executors.dispatch; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    late = {"agents", "commands", "tool", "verification", "document", "sessions"}
    assert {f"custody.executors.{name}" for name in late} & set(done.stdout.split()) == set()

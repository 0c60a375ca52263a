"""The librarian as a step."""

from __future__ import annotations

import json
from pathlib import Path

from custody.executors.commands import CommandRunner
from custody.executors.steps import carry_out
from custody.model.evidence import Evidence
from custody.model.request import Ack, StepRequest
from support.packing import Library, whole
from support.stages import StageSite

WRITES = ("artifacts/context_pack.json", "artifacts/context_pack.failure.json")


def runner() -> CommandRunner:
    raise AssertionError("no program is started here")


def ask(place: StageSite, text: str, **settings: str) -> Ack:
    given = Evidence.of_text("artifacts/file_request.json", text)
    request = StepRequest(
        id="a/1.1",
        timeout=9.0,
        step="context_pack",
        inputs={"request": given},
        settings=settings,
        writes=WRITES,
    )
    return carry_out(request, place.stage(), runner)


def test_a_pack_is_written_of_what_the_workspace_holds(place: StageSite) -> None:
    library = Library(Path(place.workspace.path))
    library.write("a.py", "x\n")
    library.write("b.py", "y\n")
    ack = ask(place, json.dumps(library.request(whole("a.py"), whole("b.py"))), hidden="b.py\nc")
    assert (ack.status, [item.path for item in ack.evidence]) == ("ok", [WRITES[0]])
    assert ack.notes.endswith("Omitted 1: 1 denied.")


def test_why_there_is_none_is_written_as_well(place: StageSite) -> None:
    ack = ask(place, "{}")
    assert (ack.status, [item.path for item in ack.evidence]) == ("ok", [WRITES[1]])
    assert json.loads(ack.evidence[0].text or "")["code"] == "request_invalid"

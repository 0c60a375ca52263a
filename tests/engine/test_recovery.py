"""An agent that keeps what it has done, by whatever means, is asked before it works again."""

from __future__ import annotations

import os

import pytest

from custody import api
from custody.model.event import RequestAnswered
from support.bench import Bench
from support.ending import ends_before
from support.plugins import install

SAYS = 'one [prompt="one"] two [prompt="two"] start -> one -> two -> done'
KEEPS = """
from custody import Ack, AgentType

DONE = []

class Keeps:
    def work(self, request, stage):
        DONE.append(request.id)
        response = stage.folder.write("response.md", "worked")
        return Ack(request_id=request.id, status="ok", evidence=(response,))

    def recover(self, request, stage):
        if request.id not in DONE:
            return None
        response = stage.folder.write("response.md", "recovered")
        return Ack(request_id=request.id, status="ok", evidence=(response,))

AGENT = AgentType(
    name="keeps", doc="", make=lambda _argument, _context: Keeps(), starts_programs=False
)
"""


@pytest.fixture
def keeps(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    install(bench.home / "site", f"keeps{os.getpid()}", KEEPS, "AGENT")
    metadata = next((bench.home / "site").glob("*.dist-info")) / "entry_points.txt"
    module = metadata.read_text().partition("= ")[2]
    metadata.write_text(f"[custody.agents]\nkeeps = {module}")
    monkeypatch.syspath_prepend(str(bench.home / "site"))
    return bench


def test_what_was_done_is_not_done_again(keeps: Bench) -> None:
    with ends_before(RequestAnswered, "two"):
        keeps.run(SAYS, agent="keeps")
    assert api.resume("r1", runsdir=str(keeps.runsdir)).summary.status == "PASS"
    said = [keeps.path(f"nodes/{node}/1.1/response.md").read_text() for node in ("one", "two")]
    assert said == ["worked", "recovered"]


def test_what_is_not_in_doubt_is_not_asked_for(keeps: Bench) -> None:
    assert keeps.run(SAYS, agent="keeps").summary.status == "PASS"
    assert keeps.run(SAYS, agent="keeps", run_id="r2").summary.status == "PASS"
    assert keeps.path("nodes/one/1.1/response.md", "r2").read_text() == "worked"

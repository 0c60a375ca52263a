"""What is new stands in one file: a copy of the package that has one more is all there is to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.copies import Copy

AGENT = """\
from __future__ import annotations

from typing import TYPE_CHECKING

from custody.executors.agents import AgentContext, AgentType
from custody.executors.settings import setting
from custody.model.request import Ack, AgentRequest

if TYPE_CHECKING:
    from custody.executors import Stage


class EchoAgent:
    def __init__(self, argument: str, context: AgentContext) -> None:
        self._end = argument
        self._context = context

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        times = self._context.settings(request).whole("times") or 1
        said = (request.prompt.text or "").strip() * times + self._end
        response = stage.folder.write("response.md", said)
        return Ack(request_id=request.id, status="ok", evidence=(response,))


AGENT = AgentType(
    name="echo",
    doc="Says the prompt again.",
    argument="END",
    settings=(
        setting("times", "integer", "How often."),
        setting("voice", "string", "How it says it.", choices=("loud", "low")),
    ),
    make=EchoAgent,
    starts_programs=False,
    parallel=True,
)
"""
PIPELINE = """digraph p {{
    start [shape=Mdiamond]
    say   [prompt="ho", {settings}]
    done  [shape=Msquare]
    start -> say -> done
}}
"""


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    copy = Copy(tmp_path)
    (copy.source / "custody/executors/agents/echo.py").write_text(AGENT)
    return copy


def check(copy: Copy, settings: str) -> str:
    (copy.folder / "p.dot").write_text(PIPELINE.format(settings=settings))
    return copy("check", "p.dot").stdout


def test_an_agent_is_one_file(copy: Copy) -> None:
    assert check(copy, "echo.times=2, echo.voice=low").startswith(
        "1 pipeline: 0 errors, 0 warnings"
    )
    done = copy("run", "p.dot", "--agent", "echo:!", "--run-id", "r1")
    assert done.returncode == 0, done.stderr
    run = copy.folder / ".custody/runs/r1"
    assert (run / "nodes/say/1.1/response.md").read_text() == "hoho!"
    assert '"confinement": null' in (run / "manifest.json").read_text()
    assert "must be one of loud, low, not 'shrill'" in check(copy, "echo.voice=shrill")
    assert "echo.times must be a whole number, not 'often'" in check(copy, "echo.times=often")
    assert "did you mean 'echo.times'?" in check(copy, "echo.time=1")
    assert " echo, " in copy("run", "--help").stdout
    told = copy("doctor").stdout
    assert re.search(r"^  echo:END +Says the prompt again\.$", told, re.MULTILINE)

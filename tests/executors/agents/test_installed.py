"""Agents of others are found by the entry point that their distribution declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import UsageError
from custody.executors.agents import check_agent
from support.bench import Bench

AGENT = """
from custody.model.request import Ack

class Echo:
    def __init__(self, argument):
        self.argument = argument

    def work(self, request, stage):
        response = stage.folder.write("response.md", f"{self.argument}: {request.prompt.text}")
        return Ack(request_id=request.id, status="ok", evidence=(response,))
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a distribution that declares an agent."""
    site = tmp_path / "site"
    metadata = site / "echo_agent-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "echo_agent_for_tests.py").write_text(AGENT)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: echo-agent\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[custody.agents]\necho = echo_agent_for_tests:Echo\n"
    )
    monkeypatch.syspath_prepend(site)


@pytest.mark.usefixtures("installed")
def test_it_is_asked_by_its_name(bench: Bench) -> None:
    bench.run('start -> build -> done\n build [prompt="Hello."]', agent="echo:you said")
    assert bench.path("nodes/build/1.1/response.md").read_text() == "you said: Hello.\n"


@pytest.mark.usefixtures("installed")
def test_a_name_that_nobody_declares_is_told(bench: Bench) -> None:
    check_agent("echo")
    with pytest.raises(UsageError, match="no agent is called 'ecko'") as told:
        bench.run('start -> build -> done\n build [prompt="Hello."]', agent="ecko")
    assert "ollama_agent" in told.value.hint

"""The real Codex CLI is at work when the runtime is killed, and nothing of it is left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from custody.testing.model_server import ModelServer, Script, Turn
from support.agent_run import AgentPlace, killed_at
from support.real_agents import program
from support.remains import Remains
from support.sweep import Sweep, budget

MOMENTS = round(budget(1, 20))
WORK = Turn(
    run="[ ! -e scripts/scenarios ] && (setsid sleep 600 &) ; echo fixed > app.txt && rm -r old"
    " && mkdir -p notes && echo because > notes/why.md && sleep 0.3"
)
PIPELINE = """
digraph codex {
    start [shape=Mdiamond]
    work [agent=codex, prompt="Repair the file."]
    test [type=tool, tool_command="grep fixed app.txt && grep expected scripts/scenarios/one.txt"]
    done [shape=Msquare]
    start -> work -> test
    test -> done [condition="outcome=success"]
}
"""


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Return a model that lets Codex, which is configured for it, change files."""
    monkeypatch.setenv("CUSTODY_CODEX_EXECUTABLE", program("codex"))
    monkeypatch.setenv("CUSTODY_CODEX_MODEL", "scripted")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-tools")
    with ModelServer(Script.of(WORK, Turn(say="Done."))) as server:
        provider = f'name="local", base_url="{server.url}/v1", env_key="OPENAI_API_KEY"'
        monkeypatch.setenv(
            "CUSTODY_CODEX_CONFIG",
            f'model_providers.local={{{provider}, wire_api="responses"}}\nmodel_provider="local"',
        )
        yield server


class CodexPlace(AgentPlace):
    """A run with Codex, in a folder of its own."""

    @classmethod
    def make(cls, home: Path) -> Self:
        """Lay out the same project with another pipeline."""
        place = super().make(home)
        (home / "pipeline.dot").write_text(PIPELINE)
        return place

    def state(self) -> list[str]:
        """Return what does not depend on clocks, nor on the names that Codex gives."""
        return self.outcome()


@pytest.mark.req("P-11", "P-15", "P-18")
@pytest.mark.usefixtures("model")
@pytest.mark.timeout(600)
def test_killed_at_any_moment(tmp_path: Path, sweep: Sweep) -> None:
    place = CodexPlace.make(tmp_path / "whole")
    whole = place.seconds()
    expected = place.state()
    with Remains() as remains:
        sweep.over(
            sweep.moments(MOMENTS),
            lambda part: killed_at(
                whole * part, CodexPlace.make(tmp_path / str(part)), remains, expected
            ),
        )

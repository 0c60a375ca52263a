"""One attempt at a stage, for what acts in it."""

from __future__ import annotations

from pathlib import Path

from custody.executors import Stage
from custody.model.confinement import Level
from custody.model.event import AnyFact
from custody.model.evidence import Evidence
from custody.model.request import AgentRequest, Command, CommandLine, ToolRequest
from custody.sandbox.caches import StageCaches
from custody.sandbox.stage import StageSandbox
from support.workspaces import Site


class StageSite:
    """A run whose attempts can be acted in."""

    def __init__(self, home: Path, level: Level | None = "L1") -> None:
        self._site = Site(home)
        self.source = self._site.source
        self._level = level
        self._attempt = 0
        self.told: list[AnyFact] = []
        self.workspace = self._site.workspace()
        self.run = self.workspace._run

    def close(self) -> None:
        """Close everything that was made."""
        self._site.close()

    def stage(self) -> Stage:
        """Return the next attempt at the stage ``n``."""
        self._attempt += 1
        name = f"n/1.{self._attempt}"
        folder = self.run.stage(name)
        folder.clear()
        return Stage(
            node="n",
            run=self.run,
            folder=folder,
            workspace=self.workspace,
            sandbox=StageSandbox(
                self._level, self.workspace, name, StageCaches(self.run.root, name)
            ),
            tell=self.told.append,
        )

    def read(self, evidence: Evidence) -> str:
        """Return what evidence holds."""
        return self.run.read_evidence(evidence).decode()

    @property
    def files(self) -> dict[str, str]:
        """The files of the workspace."""
        folder = Path(self.workspace.path)
        return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def tool_request(text: str, *, timeout: float = 60) -> ToolRequest:
    """Return a request for a line that needs a shell."""
    return ToolRequest(id="n/1.1", timeout=timeout, line=shell(text))


def shell(text: str) -> CommandLine:
    """Return a line that needs a shell."""
    return CommandLine(text=text, commands=(Command(argv=("sh", "-c", text)),))


def agent_request(agent: str = "fake", **fields: object) -> AgentRequest:
    """Return a request to an agent."""
    prompt = Evidence.of_text("nodes/n/1.1/prompt.md", "Do it.")
    settings = {"id": "n/1.1", "timeout": 60.0, "agent": agent, "prompt": prompt, "call": 1}
    return AgentRequest(**{**settings, **fields})  # type: ignore[arg-type]


def named(evidence: tuple[Evidence, ...]) -> dict[str, Evidence]:
    """Return evidence by the names of its files."""
    return {one.path.rpartition("/")[2]: one for one in evidence}

"""Running small pipelines for real, in a runs directory of the test's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from custody import api
from custody.engine.result import RunResult
from custody.model.event import AnyFact
from custody.store.journal import read_lines
from custody.store.root import Root


class Bench:
    """A place to run pipelines in."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.runsdir = home / "runs"
        self.workdir = home / "source"
        self.workdir.mkdir()

    def pipeline(self, body: str, *, name: str = "pipeline.dot", graph: str = "") -> str:
        """Write a pipeline that has a start and an exit called done; return its path."""
        path = self.home / name
        path.write_text(
            "digraph p {\n"
            f'graph [goal="ship it"{", " + graph if graph else ""}]\n'
            "start [shape=Mdiamond]\ndone [shape=Msquare]\n"
            f"{body}\n}}\n"
        )
        return str(path)

    def run(self, body: str, *, graph: str = "", **options: Any) -> RunResult:
        """Run a pipeline with the fake agent."""
        options.setdefault("run_id", "r1")
        options.setdefault("agent", "fake")
        return api.run(
            self.pipeline(body, graph=graph),
            workdir=str(self.workdir),
            runsdir=str(self.runsdir),
            **options,
        )

    def facts(self, run_id: str = "r1") -> list[AnyFact]:
        """Return every fact of a run."""
        with Root.open(str(self.runsdir / run_id)) as root:
            return [line.fact() for line in read_lines(root, run_id=run_id)]

    def events(self, run_id: str = "r1") -> list[str]:
        """Return the names of a run's events, with their nodes."""
        return [
            f"{type(fact).__name__} {getattr(fact, 'node', '')}".strip()
            for fact in self.facts(run_id)
        ]

    def path(self, relative: str, run_id: str = "r1") -> Path:
        """Return a path in a run directory."""
        return self.runsdir / run_id / relative

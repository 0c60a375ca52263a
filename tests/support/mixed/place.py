"""A folder with everything that mixed runs need, and the commands that act on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from custody.model import layout
from support.agent_run import strangers
from support.crash import leftovers
from support.mixed.counting_agent import NAME
from support.mixed.mixes import Chain, Mix, pipeline_text

PROJECT = {"app.txt": "app\n", "shared.txt": "nobody's\n", "gone.txt": "gone\n", "deep/in/it": "x"}
BOOKS = ("book", "other")
"""Folders of a mix, each with the answers of an agent and what it was asked."""


class MixedPlace:
    """Where mixed runs live: a project, a runs directory, and for each run what it is given."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.project = home / "project"
        self.runs = home / "runs"
        for folder in ("project", "tmp", "user"):
            (home / folder).mkdir(parents=True)
        for name, text in PROJECT.items():
            (self.project / name).parent.mkdir(parents=True, exist_ok=True)
            (self.project / name).write_text(text)

    def plant(self, mix: Mix) -> None:
        """Lay out what a run is given."""
        given = self.home / mix.run_id
        for name, chain in (("first", mix.first), ("last", mix.last)):
            _write_chain(given / name, chain, mix.graph)
        for part in mix.parts.values():
            for name, text in part.programs.items():
                (self.project / name).write_text(text)
        for name in BOOKS:
            (given / name).mkdir()
            book = mix.book(other=name == "other")
            (given / name / "book.json").write_text(json.dumps(book))

    def book(self, mix: Mix, *, other: bool = False) -> Path:
        """Return where the answers of an agent stand."""
        return self.home / mix.run_id / BOOKS[other] / "book.json"

    def agent(self, mix: Mix, *, other: bool = False) -> str:
        """Return the agent, as it is named to custody."""
        return f"{NAME}:{self.book(mix, other=other)}"

    def pipeline(self, mix: Mix, which: str) -> str:
        """Return the path of a pipeline: the ``first`` one or the ``last``."""
        return str(self.home / mix.run_id / which / "pipeline.dot")

    def run(self, run_id: str) -> Path:
        """Return the directory of a run."""
        return self.runs / run_id

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start the command line, with folders of this place for what is temporary."""
        given = {"TMPDIR": str(self.home / "tmp"), "HOME": str(self.home / "user")}
        return subprocess.Popen(
            [sys.executable, "-m", "custody", *words, "--runsdir", str(self.runs)],
            cwd=self.home,
            env={**os.environ, **given},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def left(self) -> list[str]:
        """Return every folder and file that no run should have left."""
        runs = [path for path in self.runs.iterdir() if path.name != layout.SOURCES]
        odd = [str(path) for path in runs if path.name.startswith(".")]
        for run in runs:
            odd += strangers(run)
            odd += [str(path) for path in run.glob(f"{layout.CACHE}/*") if path.name != "base"]
        own = [str(path) for name in ("tmp", "user") for path in (self.home / name).rglob("*")]
        return [*odd, *leftovers(self.runs), *own]


def _write_chain(folder: Path, chain: Chain, graph: str) -> None:
    folder.mkdir(parents=True)
    (folder / "pipeline.dot").write_text(pipeline_text(chain, graph))
    for part in chain:
        for name, text in part.pipelines.items():
            (folder / name).write_text(text)

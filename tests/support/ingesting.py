"""A stage that takes documents in, and somebody else's files beside it."""

from __future__ import annotations

from pathlib import Path

from custody.checks.guards.secrets import Redactor
from custody.executors import Stage
from custody.ingest.service import Ingested, ingest
from custody.model.ingest import IngestLimits, IngestSource
from custody.model.ingest_event import IngestFact
from custody.sandbox.stage import StageSandbox
from support.workspaces import Site

GOOD = "```python file=src/good.py\nx = 1\n```\n"


class Desk:
    """Takes documents into the workspace of one run."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.site = Site(home)
        self.workspace = self.site.workspace()
        self.run = self.workspace._run
        self._attempt = 0

    @property
    def folder(self) -> Path:
        """The workspace on disk."""
        return Path(self.workspace.path)

    def stage(self) -> Stage:
        """Return the next attempt."""
        self._attempt += 1
        folder = self.run.stage("write", 1, self._attempt)
        folder.clear()
        return Stage(
            node="write",
            run=self.run,
            folder=folder,
            workspace=self.workspace,
            sandbox=StageSandbox(None, self.workspace, f"write/1.{self._attempt}"),
            tell=lambda _fact: None,
        )

    def take(
        self,
        document: str | bytes,
        limits: IngestLimits | None = None,
        known: dict[str, str] | None = None,
    ) -> Ingested:
        """Take one document in."""
        return ingest(
            document.encode("utf-8", "surrogatepass") if isinstance(document, str) else document,
            self.stage(),
            source=IngestSource(mode="single", doc_path="docs/single_r1.md"),
            redactor=Redactor(known or {}),
            limits=limits,
        )

    def files(self) -> dict[str, bytes]:
        """Return what stands in the workspace."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }


def verdicts(done: Ingested) -> list[str]:
    """Return what became of each block: ``written``, or status and reason."""
    return [
        f"{artifact.status}:{artifact.reason}".rstrip(":") for artifact in done.manifest.artifacts
    ]


def block(path: str, content: str = "x = 1\n", lang: str = "text") -> str:
    """Return a block of the accepted form."""
    return f"```{lang} file={path}\n{content}```\n"


def levels(done: Ingested) -> list[tuple[str, str]]:
    """Return each fact of an intake, and its level."""
    return [(type(fact).__name__, fact.traits.level) for fact in done.facts]


def told(done: Ingested, kind: type[IngestFact]) -> IngestFact:
    """Return the one fact of a kind."""
    (fact,) = [fact for fact in done.facts if isinstance(fact, kind)]
    return fact

"""A stage whose documents are ingested, and somebody else's files beside it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from custody.checks.guards.secrets import Redactor
from custody.executors import Stage
from custody.ingest.answer import ingest_answer
from custody.model.evidence import Evidence
from custody.model.ingest import IngestLimits, IngestManifest
from custody.model.ingest_event import (
    AnyIngestFact,
    IngestFact,
    IngestRejected,
    IngestSkipped,
    IngestWritten,
)
from custody.model.layout import INGEST_MANIFEST
from custody.model.record import decode
from custody.model.request import Ack
from custody.sandbox.caches import StageCaches
from custody.sandbox.stage import StageSandbox
from custody.store.rundir import RunDirectory
from support.workspaces import Site

STATUSES: dict[type[IngestFact], str] = {
    IngestWritten: "written",
    IngestSkipped: "skipped",
    IngestRejected: "rejected",
}
GOOD = "```python file=src/good.py\nx = 1\n```\n"


class Done(NamedTuple):
    """An answer that was ingested, and the facts of it."""

    run: RunDirectory
    ack: Ack
    facts: tuple[AnyIngestFact, ...]

    @property
    def evidence(self) -> Evidence | None:
        """The manifest's file, if it could be written."""
        return next(
            (item for item in self.ack.evidence if item.path.endswith(INGEST_MANIFEST)), None
        )

    @property
    def manifest(self) -> IngestManifest:
        """The manifest as it was written."""
        assert self.evidence is not None
        return decode(self.run.read_evidence(self.evidence), IngestManifest, where="")


class Desk:
    """Ingests documents into the workspace of one run."""

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
        name = f"write/1.{self._attempt}"
        folder = self.run.stage(name)
        folder.clear()
        return Stage(
            node="write",
            run=self.run,
            folder=folder,
            workspace=self.workspace,
            sandbox=StageSandbox(None, self.workspace, name, StageCaches(self.run.root, name)),
            tell=lambda _fact: None,
        )

    def answer(self, document: bytes, path: str = "docs/single_r1.md") -> Ack:
        """Return what a stage answers that has written a document."""
        kept = Evidence(path=path, sha256=self.run.blobs.put(document), bytes=len(document))
        return Ack(request_id="write/1.1", status="ok", evidence=(kept,))

    def ingest(
        self,
        document: str | bytes,
        limits: IngestLimits | None = None,
        known: dict[str, str] | None = None,
    ) -> Done:
        """Ingest one document in the next attempt."""
        data = document.encode("utf-8", "surrogatepass") if isinstance(document, str) else document
        return self.ingest_answer(self.answer(data), self.stage(), limits, known)

    def ingest_answer(
        self,
        ack: Ack,
        stage: Stage,
        limits: IngestLimits | None = None,
        known: dict[str, str] | None = None,
    ) -> Done:
        """Ingest the document of an answer."""
        ack, facts = ingest_answer(
            ack,
            stage,
            limits or IngestLimits(),
            mode="single",
            allowlist=None,
            redactor=Redactor(known or {}),
        )
        return Done(self.run, ack, facts)

    def files(self) -> dict[str, bytes]:
        """Return what stands in the workspace."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }


def verdicts(done: Done) -> list[str]:
    """Return what became of each block, as facts and manifest agree: status, and reason if any."""
    facts = [fact for fact in done.facts if isinstance(fact, IngestFact)]
    found = {
        note.index: f"{STATUSES[type(fact)]}:{note.reason}".rstrip(":")
        for fact in facts
        for note in fact.blocks
    }
    told_of = [found[index] for index in sorted(found)]
    if done.evidence is not None:
        assert told_of == [
            f"{row.status}:{row.reason}".rstrip(":") for row in done.manifest.artifacts
        ]
    return told_of


def block(path: str, content: str = "x = 1\n", lang: str = "text") -> str:
    """Return a block of the accepted form."""
    return f"```{lang} file={path}\n{content}```\n"


def levels(done: Done) -> list[tuple[str, str]]:
    """Return each fact, and its level."""
    return [(type(fact).__name__, fact.traits.level) for fact in done.facts]


def told(done: Done, kind: type[IngestFact]) -> IngestFact:
    """Return the one fact of a kind."""
    (fact,) = [fact for fact in done.facts if isinstance(fact, kind)]
    return fact

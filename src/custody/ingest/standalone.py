"""Ingest a document that no run wrote: its blocks become new files of ``workspace/``.

The same rules hold as in a run, and one more: nothing that is there is replaced, because nothing
would keep it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from msgspec.structs import replace

from custody.checks.gates.artifacts import judge_file
from custody.checks.guards.secrets import redactor_for
from custody.errors import PathRefused, UsageError
from custody.ingest.document import ingest
from custody.model import layout
from custody.model.documents import IngestedDocument
from custody.model.ingest import IngestLimits, IngestManifest, IngestSource
from custody.model.ingest_event import AnyIngestFact
from custody.model.record import Record, encode_pretty
from custody.model.relpath import RelPath
from custody.model.verdict import Verdict
from custody.store.root import Root, read_file
from custody.views.ingests import of_facts

MANIFESTS_LIMIT = 10_000
"""Most manifests that one folder holds."""


class IngestedFile(Record, frozen=True):
    """What came of a document, and where that is written down."""

    manifest: IngestManifest
    path: str
    """Where the manifest is, relative to the project."""
    problems: tuple[str, ...]
    """What went wrong beside blocks that were rejected."""
    document: IngestedDocument
    """The blocks with their lines and reasons, and what is odd about files that were written."""


class NewFiles:
    """A folder in which nothing is replaced."""

    def __init__(self, root: Root) -> None:
        self.root = root

    def refusal(self, _path: RelPath) -> str:
        """Refuse no path for itself."""
        return ""

    def put(self, path: RelPath, content: bytes) -> str:
        """Write a file where nothing is; raises ``exists`` otherwise."""
        self.root.create(path, content)
        return ""


def ingest_file(document: str, project: str) -> IngestedFile:
    """Ingest the document in a file; the manifest is put into the folder ``project``.

    Raises `UsageError` for the folder of a run, and `StorageFailed` when the document cannot be
    read or the manifest cannot be written.
    """
    data = read_file(document)
    redactor = redactor_for(os.environ)
    with Root.open(project) as folder:
        if folder.exists(layout.EVENTS):
            what = "it is the folder of a run, and only stages change a run's workspace"
            raise UsageError(what, where=project, hint="choose another folder")
        folder.make_dirs(layout.WORKSPACE)
        doc_path = redactor.redact(os.path.relpath(document, project))[0]
        with folder.sub(layout.WORKSPACE) as root:
            done = ingest(
                data,
                NewFiles(root),
                source=IngestSource(kind="cli", doc_path=doc_path),
                redactor=redactor,
                limits=IngestLimits(),
            )
            findings = tuple(_findings(done.manifest, root))
        path = _put_manifest(folder, encode_pretty(done.manifest))
    told = replace(_document(done.facts, doc_path), findings=findings)
    return IngestedFile(manifest=done.manifest, path=path, problems=done.failures, document=told)


def _document(facts: tuple[AnyIngestFact, ...], doc_path: str) -> IngestedDocument:
    found = of_facts(facts)
    return found[0] if found else IngestedDocument(node="", doc_path=doc_path)


def _findings(manifest: IngestManifest, root: Root) -> Iterator[Verdict]:
    """Judge the files that were written, as a run's gate does."""
    for artifact in manifest.artifacts:
        if artifact.status == "written":
            path = artifact.workspace_path.removeprefix(f"{layout.WORKSPACE}/")
            yield from judge_file(artifact, path, root.read(path))


def _put_manifest(folder: Root, data: bytes) -> str:
    """Write the manifest beside those of earlier documents; return its name."""
    stem, _, suffix = layout.INGEST_MANIFEST.rpartition(".")
    names = [
        layout.INGEST_MANIFEST,
        *(f"{stem}.{number}.{suffix}" for number in range(2, MANIFESTS_LIMIT)),
    ]
    for name in names:
        try:
            folder.create(name, data)
        except PathRefused as refused:
            if refused.code != "exists":
                raise
        else:
            return name
    what = f"the folder already has {MANIFESTS_LIMIT - 1} manifests"
    raise UsageError(what, where=folder.path, hint="choose another folder")

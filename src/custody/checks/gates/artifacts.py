"""Whether files that were taken out of a document can be read as what they say they are.

It warns only: the files stay, and the run goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import ClassVar

from custody.checks.gates import Case, Gate
from custody.model import layout
from custody.model.ingest import Artifact, IngestManifest
from custody.model.record import decode
from custody.model.verdict import GateEffect, Verdict

NAME = "artifacts"
TOLD = 100
"""How many verdicts are told."""
_FOLDER = f"{layout.WORKSPACE}/"


class ArtifactsGate(Gate):
    """Judges every file that the manifest of an ingest says was written."""

    name = NAME
    doc = "Files taken out of a document are what their language says, at the path that is meant."
    effect: ClassVar[GateEffect] = "warn"

    def applies(self, case: Case) -> bool:
        """Judge only where something was taken out of a document."""
        return case.evidence(layout.INGEST_MANIFEST) is not None

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find files that do not parse, and paths that begin with the workspace's own name."""
        yield from islice(self._found(case), TOLD)

    def _found(self, case: Case) -> Iterator[Verdict]:
        manifest = decode(
            case.text(layout.INGEST_MANIFEST).encode(), IngestManifest, where=layout.INGEST_MANIFEST
        )
        for artifact in manifest.artifacts:
            if artifact.status == "written":
                path = artifact.workspace_path.removeprefix(_FOLDER)
                yield from judge_file(artifact, path, case.content(artifact.sha256))


def judge_file(artifact: Artifact, path: str, content: bytes) -> Iterator[Verdict]:
    """Find what is odd about one file: where it lies, and whether it can be read."""
    if path.startswith(_FOLDER):
        told = f"it is written to {artifact.workspace_path}, as the path says"
        yield _odd("path", told, path)
    from custody.checks.syntax import check_syntax

    verdict = check_syntax(path, artifact.lang, content)
    if verdict is not None and not verdict.allowed:
        yield _odd(verdict.code, verdict.reason, path)


def _odd(code: str, reason: str, path: str) -> Verdict:
    return Verdict(check=NAME, allowed=False, code=code, reason=reason, subject=path)

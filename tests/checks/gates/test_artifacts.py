"""Files out of documents: what is odd about them is told, and they stay."""

from __future__ import annotations

import hashlib

import pytest

from custody.checks.gates import Case
from custody.checks.gates.artifacts import TOLD, ArtifactsGate
from custody.model import layout
from custody.model.ingest import (
    Artifact,
    ArtifactStatus,
    IngestManifest,
    IngestSource,
    summary_of,
)
from custody.model.record import encode_pretty
from support.cases import case


def taken_out(
    *blocks: tuple[str, str, str], status: ArtifactStatus = "written", times: int = 1
) -> Case:
    artifacts = tuple(
        Artifact(
            index=index,
            lang=lang,
            declared_file=path,
            workspace_path=f"workspace/{path}",
            bytes=len(content.encode()),
            sha256=hashlib.sha256(content.encode()).hexdigest(),
            status=status,
            reason="",
        )
        for index, (path, lang, content) in enumerate(blocks * times)
    )
    manifest = IngestManifest(
        run_id="r",
        node_id="a",
        source=IngestSource(doc_path="docs/a.md"),
        artifacts=artifacts,
        summary=summary_of(artifacts),
        ts="2026-01-01T00:00:00Z",
    )
    blobs = tuple(content.encode() for _, _, content in blocks)
    return case({layout.INGEST_MANIFEST: encode_pretty(manifest).decode()}, blobs=blobs)


@pytest.mark.parametrize(
    ("lang", "content", "fine"),
    [
        ("python", "x = 1\n", True),
        ("py", "def f(:\n", False),
        ("python", "raise SystemExit\n", True),
        ("json", '{"a": [1, null]}\n', True),
        ("json", '{"a": 1, "a": 2}\n', False),
        ("json", "{'a': 1}\n", False),
        ("ts", "def f(:\n", True),
    ],
)
def test_a_file_must_be_what_its_language_says(lang: str, content: str, *, fine: bool) -> None:
    verdicts = ArtifactsGate().judge(taken_out(("a.x", lang, content)))
    assert [verdict.code for verdict in verdicts] == ([] if fine else ["syntax"])


def test_a_path_that_begins_with_the_workspaces_name_is_told() -> None:
    (verdict,) = ArtifactsGate().judge(taken_out(("workspace/a.txt", "text", "x")))
    assert (verdict.code, verdict.subject) == ("path", "workspace/a.txt")
    assert "workspace/workspace/a.txt" in verdict.reason


def test_blocks_that_were_not_written_are_not_judged() -> None:
    assert (
        list(ArtifactsGate().judge(taken_out(("a.py", "py", "def f(:"), status="rejected"))) == []
    )


def test_only_the_first_verdicts_are_told() -> None:
    assert len(list(ArtifactsGate().judge(taken_out(("a.py", "py", "("), times=TOLD + 5)))) == TOLD


def test_it_warns_and_only_where_something_was_taken_out() -> None:
    assert ArtifactsGate.effect == "warn"
    assert ArtifactsGate().applies(taken_out())
    assert not ArtifactsGate().applies(case())

"""What became of the blocks of a document, in numbers."""

from __future__ import annotations

import pytest

from custody.model.ingest import Artifact, ArtifactStatus, IngestSummary, mode_of, summary_of


def artifact(index: int, status: ArtifactStatus) -> Artifact:
    return Artifact(
        index=index,
        lang="",
        declared_file="",
        workspace_path="",
        bytes=0,
        sha256="",
        status=status,
        reason="",
    )


def test_every_block_is_counted_once() -> None:
    statuses: tuple[ArtifactStatus, ...] = ("written", "skipped", "rejected", "written")
    rows = tuple(artifact(index, status) for index, status in enumerate(statuses))
    assert summary_of(rows) == IngestSummary(total_blocks=4, written=2, skipped=1, rejected=1)
    assert summary_of(()) == IngestSummary(total_blocks=0, written=0, skipped=0, rejected=0)


@pytest.mark.parametrize(
    ("pipeline", "mode"),
    [("single", "single"), ("team", "team"), ("mine", "unknown"), ("", "unknown")],
)
def test_the_mode_of_a_pipeline(pipeline: str, mode: str) -> None:
    assert mode_of(pipeline) == mode

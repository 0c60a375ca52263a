"""What of a run goes into its bundle."""

from __future__ import annotations

from pathlib import Path

from custody.store.rundir import RunDirectory
from custody.views.bundle_files import bundle_files
from support.changing import Change


def test_documents_prompts_and_the_journal_are_in_it_and_no_blobs(tmp_path: Path) -> None:
    flow = Change(tmp_path)
    flow.start(agent="manual_outbox")
    with RunDirectory.open(str(flow.runs / "c"), write=False) as run:
        found = bundle_files(run)
    assert found["events.jsonl"] == flow.path("events.jsonl").read_bytes()
    assert found["TRACE.md"].startswith(b"# change: RUNNING")
    assert "outbox/001_chair_analysis.md" in found
    assert "artifacts/guardrails.md" in found
    assert not [path for path in found if path.startswith(("blobs", "nodes", "workspace"))]

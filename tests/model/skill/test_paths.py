"""Where the files of a job are."""

from __future__ import annotations

from custody.model import layout
from custody.model.skill import paths


def test_they_are_where_the_document_says() -> None:
    request = paths.source_request_id("20260204_170301_18452_a3f9", 3, "restore")
    assert request == "20260204_170301_18452_a3f9_0003_restore"
    assert paths.source_request(request) == f"queue/{request}.json"
    assert paths.source_ack(request) == f"ack/{request}.json"
    assert paths.run_script("summary_health", "run") == "scripts/run_summary_health.tcl"
    assert paths.session_streams("innovus") == (
        "session/innovus.stdout.log",
        "session/innovus.stderr.log",
    )


def test_the_ends_of_its_logs_are_documents_of_the_run() -> None:
    assert all(map(layout.is_document, paths.job_streams("innovus")))
    assert all(map(layout.is_written_once, ("queue/a.json", "ack/a.json")))
    assert not layout.is_written_once("scripts/a.tcl")

"""Documents of jobs that earlier code wrote are read as they were, by whoever looks at a job."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from custody.model.record import decode, encode
from custody.model.schemas import SCHEMAS
from custody.skill import manifest_of
from custody.skills.contract import sound_contract
from custody.skills.metrics import compare, read_figures
from support.formats import RUNS, sample_of, unpack

ARCHIVES = sorted(Path(__file__).parent.glob("*/job*.tar.gz"))
KINDS = {
    "job_manifest.json": "job_manifest",
    "job_timeline.jsonl": "job_timeline",
    "summary.json": "job_summary",
    "queue/*.json": "source_request",
    "ack/*.json": "source_ack",
    "index.json": "bundle_index",
    "reports_inventory.json": "reports_inventory",
    "session/state.json": "session_state",
    "logs/state.json": "session_state",
    "docs/job.json": "job",
    "docs/design.json": "design",
    "docs/outputs.json": "outputs",
}
"""What each document is, in a run directory and in a bundle."""
ASIDE = ("nodes", "session", "metrics.json", "manifest.json", "checkpoint.json", "packet.json")
"""What belongs to every run, or to the tool alone."""


@pytest.fixture(params=ARCHIVES, ids=lambda archive: f"{archive.parent.name}-{archive.name}")
def job(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return the run directory of a job that was kept."""
    unpack(request.param, tmp_path)
    return tmp_path / RUNS / sample_of(request.param)


def documents(job: Path) -> Iterator[tuple[Path, str]]:
    """Yield each document of a job, and what it is."""
    for file in sorted(job.rglob("*.json*")):
        path = PurePosixPath(file.relative_to(job))
        kinds = {kind for name, kind in KINDS.items() if path.match(name)}
        if kinds and "box" not in path.parts:
            (kind,) = kinds
            yield file, kind
        else:
            assert not {*path.parts}.isdisjoint({*ASIDE, "events.jsonl", "trace.jsonl"}), path


@pytest.mark.req("S-18")
def test_each_document_is_read_as_it_was(job: Path) -> None:
    """Each field that was there means what it meant; what is new since then may stand beside it."""
    found = dict(documents(job))
    missing = {*KINDS.values()} - {*found.values()}
    assert missing <= {"bundle_index", "outputs"}
    for file, kind in found.items():
        data = file.read_bytes()
        for each in data.splitlines() if file.suffix == ".jsonl" else [data]:
            read = json.loads(encode(decode(each, SCHEMAS[kind], where=file.name)))
            holds(read, json.loads(each))


def holds(read: Any, written: Any) -> None:
    """Everything that was written is in what was read."""
    if isinstance(written, dict):
        assert written.keys() <= read.keys()
        for key, value in written.items():
            holds(read[key], value)
    else:
        assert read == written


@pytest.mark.req("S-14", "S-18")
def test_a_job_is_looked_at_as_it_was(job: Path) -> None:
    manifest, figures = manifest_of(str(job)), read_figures(str(job))
    assert figures.run == manifest.job_id
    assert (figures.status, figures.error_type) == (manifest.status, manifest.error_type)
    status, *_ = compare([figures._replace(status="PASS"), figures], {})
    assert status.after[0].regression == (manifest.status == "FAIL")
    sound_contract((job / "docs/contract.yaml").read_bytes(), where=str(job))
    if manifest.status == "FAIL":
        assert manifest_of(str(job / "debug_bundle")) == manifest


def test_there_is_one_that_passed_and_one_that_failed() -> None:
    assert {sample_of(archive) for archive in ARCHIVES} >= {"job", "job_failed"}

"""Documents of jobs that earlier code wrote are read as they were, by whoever looks at a job."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from custody.model.record import decode, encode
from custody.model.schemas import SCHEMAS
from custody.skill import manifest_of
from custody.skills.contract import sound_contract
from custody.skills.metrics import compare, read_figures

HERE = Path(__file__).parent / "jobs"
JOBS = sorted(HERE.glob("*/*"))
KINDS = {
    "job_manifest.json": "job_manifest",
    "job_timeline.jsonl": "job_timeline",
    "summary.json": "job_summary",
    "queue/*.json": "source_request",
    "ack/*.json": "source_ack",
    "index.json": "bundle_index",
    "reports_inventory.json": "reports_inventory",
    "session/state.json": "session_state",
    "docs/job.json": "job",
    "docs/design.json": "design",
    "docs/outputs.json": "outputs",
}
"""What each document is, in a run directory and in a bundle."""
FILES = [file for file in sorted(HERE.rglob("*.json*")) if file.name != "metrics.json"]


def kind_of(file: Path) -> str:
    path = PurePosixPath(file.as_posix())
    (kind,) = {kind for name, kind in KINDS.items() if path.match(name)}
    return kind


def name(path: Path) -> str:
    return str(path.relative_to(HERE))


@pytest.mark.req("S-18")
@pytest.mark.parametrize("file", FILES, ids=name)
def test_it_is_read_as_it_was(file: Path) -> None:
    """Each field that was there means what it meant; what is new since then may stand beside it."""
    kind = SCHEMAS[kind_of(file)]
    data = file.read_bytes()
    documents = data.splitlines() if file.suffix == ".jsonl" else [data]
    assert documents
    for each in documents:
        read = json.loads(encode(decode(each, kind, where=file.name)))
        holds(read, json.loads(each))


def holds(read: Any, written: Any) -> None:
    """Everything that was written is in what was read."""
    if isinstance(written, dict):
        assert written.keys() <= read.keys()
        for key, value in written.items():
            holds(read[key], value)
    else:
        assert read == written


@pytest.mark.req("S-18")
@pytest.mark.parametrize("job", JOBS, ids=name)
def test_a_job_is_looked_at_as_it_was(job: Path) -> None:
    manifest = manifest_of(str(job))
    figures = read_figures(str(job))
    assert figures.run == manifest.job_id
    assert (figures.status, figures.error_type) == (manifest.status, manifest.error_type)
    assert manifest.status == job.name.upper()
    sound_contract((job / "docs/contract.yaml").read_bytes(), where=str(job))


@pytest.mark.req("S-14", "S-18")
def test_jobs_of_each_version_are_compared() -> None:
    for version in sorted(HERE.iterdir()):
        runs = [read_figures(str(version / name)) for name in ("pass", "fail")]
        status, *metrics = compare(runs, {})
        assert status.after[0].regression
        assert "variables" in {figure.name for figure in metrics}


@pytest.mark.req("S-16", "S-18")
def test_a_bundle_is_read_away_from_its_job() -> None:
    for bundle in sorted(HERE.glob("*/fail/debug_bundle")):
        assert manifest_of(str(bundle)).status == "FAIL"

"""``summary.json`` and ``summary.md`` of a skill job. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from custody.model import layout
from custody.model.documents import Summary
from custody.model.skill import paths
from custody.model.skill.documents import (
    JobSummary,
    SummaryDesign,
    SummaryEvidence,
    SummarySkill,
)
from custody.model.state import State
from custody.views.job import JobAccount


def job_summary(summary: Summary, job: JobAccount) -> JobSummary:
    """Return a run's summary with what the document of a job wants beside it."""
    manifest = job.manifest()
    mine = {
        field.name: getattr(summary, field.name)
        for field in msgspec.structs.fields(Summary)
        if field.name != "schema_version"
    }
    failed = summary.status == "FAIL"
    return JobSummary(
        **mine,
        job_id=job.job_id,
        error_type=manifest.error_type,
        design=SummaryDesign(
            enc_path=manifest.design.enc_path, enc_dat_path=manifest.design.enc_dat_path
        ),
        skill=SummarySkill(name=manifest.skill.name, version=manifest.skill.version),
        metrics=job.metrics,
        evidence=SummaryEvidence(
            run_dir=manifest.runtime.run_dir,
            summary_md=layout.SUMMARY_PAGE,
            reports_dir=layout.REPORTS,
            debug_bundle_dir=layout.DEBUG_BUNDLE if failed else msgspec.UNSET,
        ),
    )


def job_page(summary: JobSummary, job: JobAccount, state: State) -> bytes:
    """Return the page that stands before the table of stages."""
    return ("\n".join((*_lines(summary, job, state), "", ""))).encode()


def _lines(summary: JobSummary, job: JobAccount, state: State) -> Iterator[str]:
    manifest = job.manifest()
    error = "" if summary.status == "PASS" else f" ({summary.error_type})"
    yield f"# {summary.status}{error}: {summary.skill.name} {summary.skill.version}"
    yield ""
    yield "## Conclusion"
    yield ""
    yield f"- status: {summary.status}"
    yield f"- error_type: {summary.error_type}"
    if manifest.message:
        yield f"- message: {_one_line(manifest.message)}"
    yield f"- design: {summary.design.enc_path or manifest.design.locator.query}"
    yield f"- job: {summary.job_id}"
    yield from ("", "## Findings", "")
    yield from (f"- {name}: {_one_line(str(value))}" for name, value in summary.metrics.items())
    if not summary.metrics:
        yield "- no metrics"
    yield from ("", "## Risks", "")
    yield from _risks(job, state)
    yield from ("", "## Evidence", "")
    yield f"- run directory: {summary.evidence.run_dir}"
    yield f"- reports: {layout.REPORTS}/"
    for path in (layout.JOB_SUPERVISOR_LOG, *paths.job_streams(job.tool)):
        if path in state.documents:
            yield f"- log: {path}"
    yield f"- timeline: {layout.JOB_TIMELINE}"
    if summary.status == "FAIL":
        yield f"- debug bundle: {layout.DEBUG_BUNDLE}/"


def _risks(job: JobAccount, state: State) -> Iterator[str]:
    """Yield what a reader must know beside the verdict."""
    any_told = False
    for name, said in sorted(state.gates.items()):
        if said == "failed":
            any_told = True
            yield f"- the gate {name} was not passed"
    if job.ignored:
        any_told = True
        yield f"- {job.ignored} acks came that do not count"
    if not any_told:
        yield "- none known"


def _one_line(text: str) -> str:
    return " ".join(text.split())

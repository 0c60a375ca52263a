"""What a job has to say when it has ended: the verdict first, then why, then where to look."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.result import Line, Result
from custody.errors import EXIT_INTERRUPTED

if TYPE_CHECKING:
    from custody.model.skill.documents import JobManifest, JobSummary
    from custody.skill import JobResult

SHOWN_METRICS = 20


def job_result(result: JobResult, options: Namespace) -> Result:
    """Return the report of a job."""
    from custody import skill
    from custody.model.skill.documents import JobSummary

    summary, manifest = result.run.summary, skill.manifest_of(result.run.path)
    data = {"run": result.run, "job": manifest}
    text = _lines(summary, manifest, quiet=options.quiet) if isinstance(summary, JobSummary) else ()
    return Result(
        data=data,
        text=text,
        status=summary.status,
        exit_code=EXIT_INTERRUPTED if result.interrupted else None,
    )


def _lines(summary: JobSummary, manifest: JobManifest, *, quiet: bool) -> Iterator[Line]:
    from custody.cli.run_result import short

    good = summary.status == "PASS"
    error = "" if good else f"  {summary.error_type}"
    yield Line(
        f"{summary.status}{error}  {summary.skill.name} {summary.skill.version}  "
        f"job {summary.job_id}",
        "good" if good else "bad",
    )
    if manifest.message:
        yield Line(f"  {manifest.message}", hang=2)
    if not quiet:
        for name, value in list(summary.metrics.items())[:SHOWN_METRICS]:
            yield Line(f"  {name}: {value}")
        if manifest.design.enc_path:
            yield Line(f"design:   {manifest.design.enc_path}")
        yield Line(
            f"reports:  {short(f'{summary.evidence.run_dir}/{summary.evidence.reports_dir}')}"
        )
    if not good:
        bundle = f"{summary.evidence.run_dir}/{summary.evidence.debug_bundle_dir}"
        yield Line(f"bundle:   {short(bundle)}")
    yield Line(f"evidence: {short(summary.evidence.run_dir)}")

"""A skill job, gathered fact by fact: what it is about, how it stands, and its timeline.

Everything is taken from what the states of the job have put into their acks, so that the documents
of a job can be made again from its journal alone.
"""

from __future__ import annotations

import os
from typing import Any

import msgspec

from custody.model import layout
from custody.model.event import (
    AnyFact,
    JournalLine,
    PipelineCompleted,
    PipelineFailed,
    PipelineStarted,
    RequestAnswered,
    StageFailed,
    StageStarted,
)
from custody.model.process_event import RunInterrupted, RunResumed
from custody.model.record import SCHEMA_VERSION, ready
from custody.model.request import StepRequest
from custody.model.session_event import SessionAckIgnored
from custody.model.skill import paths
from custody.model.skill.documents import (
    JobArtifacts,
    JobDesign,
    JobManifest,
    JobStatus,
    Locator,
)
from custody.model.skill.error_type import ErrorType, read, told
from custody.model.skill.job import JobRuntime, JobSkill, Located
from custody.views.job_timeline import timeline

RUNS = ".skillpilot/runs"
"""Where jobs lie in the folder that they work in."""
_STARTED_AT_ONCE = "local"
_SCHEMA = "job.schema"
"""The version of the manifest. Jobs that do not tell it have their documents as they were."""
INTERRUPTED = "interrupted by {}: `custody resume RUN` goes on with the job"


class JobAccount:
    """Takes the facts of one job in order."""

    def __init__(self, job_id: str, line: JournalLine, started: PipelineStarted) -> None:
        self.job_id = job_id
        self._started = started
        self._created_at = line.ts
        self.status: JobStatus = "RUNNING"
        self.error_type: ErrorType = "OK"
        self.message = ""
        self.known: dict[str, Any] = {}
        """What the states have told, by ``job.<name>``."""
        self.lines = bytearray()
        """The timeline by now."""
        self.fail_ack = ""
        """The id of the last request that has failed; empty as long as none has."""
        self.ignored = 0
        """How many acks have come that do not count."""
        self._requests: dict[str, StepRequest] = {}
        """What each state asks for."""
        self._checksums: dict[str, str] = {}
        self._restore: tuple[str, str] = ("", "")
        """The id of the request to restore the design, and of its ack."""
        self._left = ""
        """What made the process leave that was at work last; empty while one is."""

    def add(self, line: JournalLine, fact: AnyFact) -> bytes:
        """Take one more fact; return what it adds to the timeline."""
        match fact:
            case StageStarted():
                self._begin(fact)
            case RequestAnswered():
                self._take(fact)
            case StageFailed():
                self._fail(fact.outcome.failure_reason)
            case PipelineCompleted():
                self.status = "PASS"
            case PipelineFailed():
                self._fail(fact.reason)
                self.status = "FAIL"
            case SessionAckIgnored():
                self.ignored += 1
            case RunInterrupted():
                self._left = fact.reason
            case RunResumed():
                self._left = ""
        request = self._requests.get(getattr(fact, "node", ""))
        why = told(self.error_type, self.message) if self.error_type != "OK" else ""
        exits = "" if _SCHEMA not in self.known else why
        added = timeline(self.job_id, line, fact, request, why, exits=exits)
        self.lines += added
        return added

    @property
    def tool(self) -> str:
        """The tool of the skill; empty as long as it is not known."""
        return str(self.known.get("job.versions", {}).get("tool", ""))

    @property
    def runtime(self) -> JobRuntime:
        """Where it runs."""
        said = self._started.variables
        cwd = said.get("cwd", "")
        begun = {
            "cwd": cwd,
            "run_dir": os.path.join(cwd, RUNS, self.job_id),
            "adapter": said.get("adapter", "") or _STARTED_AT_ONCE,
        }
        return msgspec.convert(self.known.get("job.runtime", begun), ready(JobRuntime))

    @property
    def skill(self) -> JobSkill:
        """What it runs."""
        said = self._started.variables
        begun = {
            "name": said.get("skill", ""),
            "version": "unknown",
            "subskill_path": said.get("skill_path", ""),
        }
        return msgspec.convert(self.known.get("job.skill", begun), ready(JobSkill))

    @property
    def design(self) -> JobDesign:
        """What it runs on, as far as it was found."""
        query = self._started.variables.get("design", "")
        begun = {"query": query, "mode": "cwd_scan"}
        found = msgspec.convert(self.known.get("job.design", begun), ready(Located))
        selected = found.selected
        return JobDesign(
            enc_path="" if selected is None else selected.enc_path,
            enc_dat_path="" if selected is None else selected.enc_dat_path,
            locator=Locator(
                mode=found.mode,
                query=found.query,
                candidates=found.candidates or msgspec.UNSET,
                selected=selected or msgspec.UNSET,
                selection_reason=found.selection_reason,
            ),
        )

    @property
    def metrics(self) -> dict[str, float | int | str]:
        """What the skill has measured."""
        return dict(self.known.get("job.metrics", {}))

    def manifest(self) -> JobManifest:
        """Return the manifest as it is by now."""
        status, error, message = self.status, self.error_type, self.message
        if self._left and status == "RUNNING":
            status, error = "FAIL", "INTERNAL_ERROR"
            message = INTERRUPTED.format(self._left)
        elif status != "FAIL":
            error, message = "OK", ""
        versions = {"runtime": self._started.versions.get("custody", "")}
        versions |= {
            name: text for name, text in self._started.versions.items() if name != "custody"
        }
        return JobManifest(
            schema_version=self.known.get(_SCHEMA, SCHEMA_VERSION),
            job_id=self.job_id,
            created_at=self._created_at,
            status=status,
            error_type=error,
            message=message,
            runtime=self.runtime,
            design=self.design,
            skill=self.skill,
            artifacts=self._artifacts(),
            versions={**versions, **self.known.get("job.versions", {})},
            checksums=dict(sorted(self._checksums.items())),
        )

    def _artifacts(self) -> JobArtifacts:
        failed, (request, ack) = self.status == "FAIL", self._restore
        wrapper = layout.RESTORE_WRAPPER in self._checksums
        return JobArtifacts(
            timeline=layout.JOB_TIMELINE,
            summary_json=layout.SUMMARY,
            summary_md=layout.SUMMARY_PAGE,
            reports_dir=layout.REPORTS,
            session_dir=layout.SESSIONS,
            debug_bundle_dir=layout.DEBUG_BUNDLE if failed else msgspec.UNSET,
            restore_wrapper=layout.RESTORE_WRAPPER if wrapper else msgspec.UNSET,
            restore_request=request or msgspec.UNSET,
            restore_ack=ack or msgspec.UNSET,
        )

    def _begin(self, fact: StageStarted) -> None:
        if isinstance(fact.request, StepRequest):
            self._requests[fact.node] = fact.request
            settings = fact.request.settings
            if settings.get("restores"):
                self._restore = settings["request_id"], ""

    def _take(self, fact: RequestAnswered) -> None:
        self.known |= {
            name: value
            for name, value in fact.ack.context_updates.items()
            if name.startswith("job.")
        }
        for item in fact.ack.evidence:
            if item.path == layout.JOB_CONTRACT or layout.top_of(item.path) == layout.SCRIPTS:
                self._checksums[item.path] = item.sha256
        ack = fact.ack.context_updates.get("job.ack") or {}
        if ack.get("status") == "FAIL":
            self.fail_ack = ack["request_id"]
        if ack and ack["request_id"] == self._restore[0]:
            self._restore = self._restore[0], paths.source_ack(ack["request_id"])

    def _fail(self, reason: str) -> None:
        """Remember the first failure: what follows from it is another matter."""
        if self.error_type == "OK":
            self.error_type, self.message = read(reason)

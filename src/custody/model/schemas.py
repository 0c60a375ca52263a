"""Every protocol file by name, and its JSON Schema."""

from __future__ import annotations

from typing import Any

import msgspec

from custody.errors import UsageError
from custody.model.answer import AnswerBook
from custody.model.change import WorkspaceDiff
from custody.model.contracts.context_pack import ContextPack, PackFailure
from custody.model.contracts.dispatch_config import DispatchConfig
from custody.model.contracts.file_request import FileRequest
from custody.model.contracts.find_result import FindResult
from custody.model.contracts.find_web import FindWeb
from custody.model.contracts.patch_policy import PatchPolicy
from custody.model.contracts.patch_result import PatchResult
from custody.model.contracts.survey import Survey
from custody.model.contracts.verify_report import VerifyReport
from custody.model.documents import Checkpoint, Manifest, Summary
from custody.model.event import FACTS, JournalLine
from custody.model.ingest import IngestManifest
from custody.model.outcome import StageStatus
from custody.model.packet import Packet
from custody.model.plan import VerificationPlan, VerificationResults
from custody.model.record import Record
from custody.model.skill.documents import (
    BundleIndex,
    JobManifest,
    JobSummary,
    ReportsInventory,
    TimelineEvent,
)
from custody.model.skill.exchange import SourceAck, SourceRequest
from custody.model.skill.job import JobStart, Located, Outputs, SessionState

SCHEMAS: dict[str, type[Record]] = {
    "manifest": Manifest,
    "checkpoint": Checkpoint,
    "summary": Summary,
    "event": JournalLine,
    "status": StageStatus,
    "workspace.diff": WorkspaceDiff,
    "agent.answers": AnswerBook,
    "verification.plan": VerificationPlan,
    "verification.results": VerificationResults,
    "ingest.manifest": IngestManifest,
    "survey": Survey,
    "patch_policy": PatchPolicy,
    "patch_result": PatchResult,
    "file_request": FileRequest,
    "context_pack": ContextPack,
    "context_pack.failure": PackFailure,
    "find_result": FindResult,
    "find_web": FindWeb,
    "dispatch_config": DispatchConfig,
    "verify_report": VerifyReport,
    "packet": Packet,
    "job_manifest": JobManifest,
    "job_timeline": TimelineEvent,
    "job_summary": JobSummary,
    "source_request": SourceRequest,
    "source_ack": SourceAck,
    "bundle_index": BundleIndex,
    "reports_inventory": ReportsInventory,
    "session_state": SessionState,
    "job": JobStart,
    "design": Located,
    "outputs": Outputs,
    **{f"event.{name}": kind for name, kind in FACTS.items()},
}


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of the file or event called ``name``."""
    if name not in SCHEMAS:
        raise UsageError(f"no schema named {name!r}", hint=f"known: {', '.join(SCHEMAS)}")
    return msgspec.json.schema(SCHEMAS[name])

"""The run directory: every name in it, how its paths are built and read, and who writes what.

    manifest.json  pipeline.dot  events.jsonl  trace.jsonl  checkpoint.json
    summary.json  summary.md
    nodes/<node>/<visit>.<attempt>/   what an attempt was given and what it left
    docs/  audits/                    the documents of the run
    artifacts/  reviews/  logs/       those of a change: what its roles and steps write
    TRACE.md  failure_bundle.zip      the account of a change; all that explains a failed one
    evidence/packet.json  packet.md   the claims of an ended run, each with its evidence
    workspace/                        the copy of the source that the stages work on
    layers/<node>/<visit>.<attempt>/  upper  work  mask, while an attempt works on an overlay
    blobs/<2>/<sha256>                contents by their hash
    cache/base/                       what was cached before the run's first agent was asked
    cache/<node>.<visit>.<attempt>/   what an attempt caches while it is at work
    homes/<agent>/                    an agent's home while it is at work, at L2 and L1
    outbox/NNN_<node>_<action>.md     what a person is asked
    inbox/<request>.<digest>.md       what the person answers, written once
    session/<name>/<token>/           one generation of a session; see `custody.model.session`

That of a skill job holds as well, by the names of its own document:

    job_manifest.json                 what the job is about, and how it ended
    job_timeline.jsonl                its states and actions in order
    scripts/<name>.tcl                all that its tool may source
    queue/<request>.json              what the tool was asked, written once
    ack/<request>.json                what came of it, written once
    reports/                          what the skill made
    session/heartbeat  state.json …   its tool, under names that stay
    debug_bundle/                     all that explains a job that failed

Beside the runs lies ``.sources/<device>.<inode>``: what the last run over a source found in it.
In a folder that a run's changes are taken over to lies ``.custody-apply/`` as long as that lasts.

No other module spells these names. All paths are relative to the run directory, with ``/``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

MANIFEST = "manifest.json"
PIPELINE = "pipeline.dot"
EVENTS = "events.jsonl"
TRACE = "trace.jsonl"
CHECKPOINT = "checkpoint.json"
SUMMARY = "summary.json"
SUMMARY_PAGE = "summary.md"
TRACE_PAGE = "TRACE.md"

JOB_MANIFEST = "job_manifest.json"
JOB_TIMELINE = "job_timeline.jsonl"

EVIDENCE = "evidence"
PACKET = f"{EVIDENCE}/packet.json"
PACKET_PAGE = f"{EVIDENCE}/packet.md"

NODES = "nodes"
DOCS = "docs"
AUDITS = "audits"
ARTIFACTS = "artifacts"
REVIEWS = "reviews"
LOGS = "logs"
BLOBS = "blobs"
OUTBOX = "outbox"
INBOX = "inbox"
WORKSPACE = "workspace"
LAYERS = "layers"
CACHE = "cache"
HOMES = "homes"
SESSIONS = "session"
SCRIPTS = "scripts"
QUEUE = "queue"
ACK = "ack"
REPORTS = "reports"
"""What the tool of a skill's job leaves."""
DEBUG_BUNDLE = "debug_bundle"

JOB = f"{DOCS}/job.json"
"""What a skill job runs, and by what it is judged."""
JOB_CONTRACT = f"{DOCS}/contract.yaml"
JOB_DESIGN = f"{DOCS}/design.json"
JOB_OUTPUTS = f"{DOCS}/outputs.json"
JOB_METRICS = f"{DOCS}/metrics.json"
JOB_INVENTORY = f"{DOCS}/reports_inventory.json"
JOB_STATE = f"{LOGS}/state.json"
JOB_SUPERVISOR_LOG = f"{LOGS}/supervisor.log"
METRICS = f"{REPORTS}/metrics.json"
"""Where a skill writes its metrics."""
BOOTSTRAP = f"{SCRIPTS}/bootstrap.tcl"
"""The executor inside the tool."""
RESTORE_WRAPPER = f"{SCRIPTS}/restore_wrapper.tcl"
"""The only script that sources the design."""
HEARTBEAT = f"{SESSIONS}/heartbeat"
SESSION_STATE = f"{SESSIONS}/state.json"
SESSION_STOP = f"{SESSIONS}/stop"
"""There when a job is to end: whoever makes it ends the job."""
SESSION_READY = f"{SESSIONS}/ready"
SUPERVISOR_LOG = f"{SESSIONS}/supervisor.log"

GUARDRAILS = f"{ARTIFACTS}/guardrails.md"
ANALYSIS = f"{ARTIFACTS}/analysis.md"
FILE_REQUEST = f"{ARTIFACTS}/file_request.json"
CONTEXT_PACK = f"{ARTIFACTS}/context_pack.json"
CONTEXT_PACK_FAILURE = f"{ARTIFACTS}/context_pack.failure.json"
FIND_RESULT = f"{ARTIFACTS}/find_result.json"
FIND_WEB = f"{ARTIFACTS}/find_web.json"
PLAN_DRAFT = f"{ARTIFACTS}/PLAN_draft.md"
PLAN = f"{ARTIFACTS}/PLAN.md"
REASONS = f"{ARTIFACTS}/REASONS.md"
EXPECTED_RESULTS = f"{ARTIFACTS}/EXPECTED_RESULTS.md"
SURVEY = f"{ARTIFACTS}/survey.json"
PATCH = f"{ARTIFACTS}/diff.patch"
PATCH_POLICY = f"{ARTIFACTS}/patch_policy.json"
PATCH_RESULT = f"{ARTIFACTS}/patch_result.json"
DISPATCH_CONFIG = f"{ARTIFACTS}/dispatch_config.json"
VERIFY_REPORT = f"{ARTIFACTS}/verify_report.json"
REVIEW_CONTRACT = f"{REVIEWS}/review_contract.md"
REVIEW_COST = f"{REVIEWS}/review_cost.md"
REVIEW_PATCH = f"{REVIEWS}/review_patch.md"
VERIFY_LOGS = (f"{LOGS}/verify.stdout.log", f"{LOGS}/verify.stderr.log")
BUNDLE = "failure_bundle.zip"
BRIEFS = tuple(
    f"{OUTBOX}/{name}.md" for name in ("CONTEXT", "CONSTRAINTS", "FIX_BRIEF", "EXTERNALS")
)
"""The documents of a change that have a meaning."""

PROMPT = "prompt.md"
RESPONSE = "response.md"
DOCUMENT = "document.md"
STATUS = "status.json"
WORKSPACE_DIFF = "workspace.diff.json"
INGEST_MANIFEST = "ingest.manifest.json"
VERIFICATION_PLAN = "verification.plan.json"
VERIFICATION_RESULTS = "verification.results.json"
REPLAYED = "replay.json"
"""Where a recorded answer came from."""

UPPER, WORK, MASK = "upper", "work", "mask"
"""The parts of one attempt's layers: what it changed, the kernel's own, what hides holdouts."""

TEXT_FOLDERS = (DOCS, AUDITS)
"""Where nodes that write any text put it."""
CHANGE_FOLDERS = (ARTIFACTS, REVIEWS)
"""Where the documents of a change lie, whose names mean something."""
DOCUMENT_FOLDERS = (*TEXT_FOLDERS, *CHANGE_FOLDERS)
"""Where documents lie that a stage may ask for by path."""

_DOCUMENT_TOPS = frozenset({*DOCUMENT_FOLDERS, LOGS, BUNDLE, SCRIPTS, QUEUE, ACK})

Writer = Literal["custody", "stages", "people"]

WRITERS: dict[str, Writer] = {
    NODES: "custody",
    DOCS: "custody",
    AUDITS: "custody",
    ARTIFACTS: "custody",
    REVIEWS: "custody",
    LOGS: "custody",
    SCRIPTS: "custody",
    QUEUE: "custody",
    ACK: "custody",
    DEBUG_BUNDLE: "custody",
    EVIDENCE: "custody",
    BLOBS: "custody",
    OUTBOX: "custody",
    INBOX: "people",
    WORKSPACE: "stages",
    LAYERS: "stages",
    CACHE: "stages",
    HOMES: "stages",
    SESSIONS: "stages",
    REPORTS: "stages",
}
"""Who puts files into each folder. What stages write there no line of the journal names."""

UNRECORDED = (CACHE, HOMES, SESSIONS, REPORTS)
"""Folders of which the journal vouches for nothing."""

SOURCES = ".sources"
"""The one folder of a runs directory that is no run."""

TAKEOVER = ".custody-apply"
"""In a folder of the user's: what is needed to finish taking changes over, or to undo it."""
TAKEOVER_PLAN = "plan.json"

_UNPUBLISHED = ".new."
_LOST = ".lost."


@lru_cache(maxsize=256)
def request_id(node: str, visit: int, attempt: int) -> str:
    """Return the id of the one request that an attempt may make: ``<node>/<visit>.<attempt>``."""
    return f"{node}/{attempt_number(visit, attempt)}"


def attempt_number(visit: int, attempt: int) -> str:
    """Return how an attempt is called among those at its node: ``<visit>.<attempt>``."""
    return f"{visit}.{attempt}"


def node_of(request: str) -> str:
    """Return the node that a request id belongs to."""
    return request.partition("/")[0]


@lru_cache(maxsize=256)
def node_folder(node: str) -> str:
    """Return the folder that holds the attempts at a node."""
    return f"{NODES}/{node}"


@lru_cache(maxsize=256)
def attempt_folder(node: str, visit: int, attempt: int) -> str:
    """Return the folder of one attempt."""
    return request_folder(request_id(node, visit, attempt))


@lru_cache(maxsize=256)
def request_folder(request: str) -> str:
    """Return the folder of the attempt that made a request."""
    return f"{NODES}/{request}"


def request_of(folder: str) -> str:
    """Return the id of the request that an attempt's folder belongs to."""
    return folder.removeprefix(f"{NODES}/")


@lru_cache(maxsize=256)
def layer_folder(request: str) -> str:
    """Return the folder of the layers of the attempt that made a request."""
    return f"{LAYERS}/{request}"


def cache_base() -> str:
    """Return where that lies which was cached before the run's first agent was asked.

    No attempt has a folder of that name: theirs end with two numbers.
    """
    return f"{CACHE}/base"


@lru_cache(maxsize=256)
def cache_folder(request: str) -> str:
    """Return where the attempt that made a request caches what it needs for its own speed."""
    return f"{CACHE}/{request.replace('/', '.')}"


def home_of(agent: str, folder: str) -> str:
    """Return where an agent keeps what it needs while it works on the attempt in ``folder``."""
    return f"{HOMES}/{agent}/{request_of(folder).replace('/', '.')}"


def session_folder(session: str) -> str:
    """Return the folder that holds the generations of a session."""
    return f"{SESSIONS}/{session}"


def generation_folder(session: str, token: int) -> str:
    """Return the folder of one generation of a session."""
    return f"{session_folder(session)}/{token}"


def blob(sha256: str) -> str:
    """Return the file that holds a content."""
    return f"{BLOBS}/{blob_name(sha256)}"


def blob_name(sha256: str) -> str:
    """Return that file's name among the blobs."""
    return f"{sha256[:2]}/{sha256}"


def question(number: int, node: str, action: str) -> str:
    """Return the file in which a person is asked something."""
    return f"{OUTBOX}/{number:03d}_{node}_{action}.md"


def answer(request: str, prompt_sha256: str) -> str:
    """Return where the answer to a prompt belongs: an answer to another prompt is none to it."""
    return f"{INBOX}/{request}.{prompt_sha256[:8]}.md"


def streams(name: str) -> tuple[str, str]:
    """Return the files of an attempt that hold what the program ``name`` printed."""
    return f"{name}.stdout.log", f"{name}.stderr.log"


def arguments(agent: str) -> str:
    """Return the file of an attempt that shows how an agent's program was started."""
    return f"{agent}.args.txt"


def exchange(agent: str) -> str:
    """Return the file of an attempt that holds what was sent to a model, or to a session."""
    return f"{agent}.request.json"


def session_ack(session: str) -> str:
    """Return the file of an attempt that holds what a session said."""
    return f"{session}.ack.json"


_AGENT_LOG = ".log.jsonl"


def agent_log(agent: str) -> str:
    """Return the file of an attempt that tells step by step what an agent did."""
    return f"{agent}{_AGENT_LOG}"


def is_agent_log(name: str) -> bool:
    """Tell whether a file of an attempt is such a log."""
    return name.endswith(_AGENT_LOG)


def is_log(path: str) -> bool:
    """Whether a file is a log: what its last lines say tells more than what its first ones do."""
    return path.endswith((".log", _AGENT_LOG))


def verification_command(number: int) -> str:
    """Return the name under which the streams of a plan's command are kept."""
    return f"verification.{number}"


def tool_command() -> str:
    """Return the name under which the streams of a tool's command are kept."""
    return "tool"


def is_command_stream(path: str, stream: int) -> bool:
    """Whether a path is that of what a command printed: ``stream`` 0 for stdout, 1 for stderr."""
    name = path.rpartition("/")[2]
    ending = streams("")[stream]
    kept_as = name.removesuffix(ending)
    return kept_as != name and (
        kept_as == tool_command() or kept_as.startswith(verification_command(0)[:-1])
    )


def top_of(path: str) -> str:
    """Return the first part of a path."""
    return path.partition("/")[0]


def is_document(path: str) -> bool:
    """Whether a path is one of a document, which a later stage may write again."""
    return top_of(path) in _DOCUMENT_TOPS or path in BRIEFS


def is_written_once(path: str) -> bool:
    """Whether a path is one of a request to a job's tool or of its ack: nobody replaces these."""
    return top_of(path) in (QUEUE, ACK)


def is_attempt_file(path: str) -> bool:
    """Whether a path lies in the folder of an attempt."""
    return path.startswith(f"{NODES}/")


def is_correspondence(path: str) -> bool:
    """Whether a path is one of a question to a person, or of an answer."""
    return top_of(path) in (OUTBOX, INBOX) and "/" in path and path not in BRIEFS


def is_response(path: str) -> bool:
    """Whether a path is that of what an agent said."""
    return path.endswith(f"/{RESPONSE}")


def is_written_by_stages(name: str) -> bool:
    """Whether stages write into the folder of that name at the top of the run directory."""
    return WRITERS.get(name) == "stages"


def unpublished(run_id: str) -> str:
    """Return how a run directory is called until the run is published."""
    return f"{_UNPUBLISHED}{run_id}"


def is_unpublished(name: str) -> bool:
    """Whether a folder beside the runs is a run that has not come to be."""
    return name.startswith(_UNPUBLISHED)


def source(device: int, inode: int) -> str:
    """Return the file, relative to the runs directory, that tells of the source so identified."""
    return f"{SOURCES}/{device}.{inode}"


def set_aside(path: str, number: int) -> str:
    """Return the name that is given to what does not count but is kept."""
    return f"{path}{_LOST}{number}"


def is_set_aside(path: str) -> bool:
    """Whether a path, or a folder on its way, was set aside."""
    return _LOST in path

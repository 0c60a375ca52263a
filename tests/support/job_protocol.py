"""What the protocol says of a job's run directory, written down a second time and apart.

Each schema holds the fields that the document of the protocol says must be there, under its names
and with its values; `troubles` tells what of a run directory is otherwise, and where its documents
contradict each other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

ERROR_TYPES = [
    "OK", "LOCATOR_FAIL", "SESSION_START_FAIL", "INNOVUS_CRASH", "HEARTBEAT_LOST", "QUEUE_TIMEOUT",
    "RESTORE_FAIL", "CMD_FAIL", "CONTRACT_INVALID", "OUTPUT_MISSING", "OUTPUT_EMPTY",
    "INTERNAL_ERROR",
]  # fmt: skip
TEXT: dict[str, Any] = {"type": "string"}
NAME: dict[str, Any] = {"type": "string", "minLength": 1}
TIME: dict[str, Any] = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
VERSION: dict[str, Any] = {"type": "string", "pattern": r"^1\.\d+$"}
ERROR_TYPE: dict[str, Any] = {"enum": ERROR_TYPES}


def record(more: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """Return the schema of an object with these fields; ``more`` may be there."""
    properties = {**fields, **(more or {})}
    return {"type": "object", "required": [*fields], "properties": properties}


def many(item: Any, **limits: int) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": item, **limits}


CANDIDATE = record(path=NAME, mtime=TIME, size={"type": "integer", "minimum": 0})
PATHS = {"enc_path": TEXT, "enc_dat_path": TEXT}
LOCATOR = record(
    mode={"enum": ["explicit_path", "cwd_scan"]},
    query=NAME,
    more={"candidates": many(CANDIDATE), "selected": record(**PATHS), "selection_reason": TEXT},
)
MANIFEST = record(
    schema_version=VERSION,
    job_id=NAME,
    created_at=TIME,
    status={"enum": ["PASS", "FAIL"]},
    error_type=ERROR_TYPE,
    runtime=record(cwd=NAME, run_dir=NAME, adapter=NAME),
    design=record(**PATHS, locator=LOCATOR),
    skill=record(name=NAME, version=NAME, subskill_path=NAME),
    artifacts=record(
        timeline=NAME, summary_json=NAME, summary_md=NAME, reports_dir=NAME, session_dir=NAME
    ),
    versions={"type": "object"},
)
EVENT = record(
    schema_version=VERSION,
    ts=TIME,
    job_id=NAME,
    level={"enum": ["INFO", "WARN", "ERROR"]},
    event=NAME,
    more={"state": NAME, "message": TEXT, "data": {"type": "object"}},
)
REQUEST = record(
    schema_version={"const": "1.0"},
    request_id=NAME,
    job_id=NAME,
    action={"const": "SOURCE_TCL"},
    script={"type": "string", "pattern": r"^scripts/[A-Za-z0-9_.-]+\.tcl$"},
    created_at=TIME,
    more={"timeout_s": {"type": "number"}},
)
ACK = record(
    schema_version={"const": "1.0"},
    request_id=NAME,
    job_id=NAME,
    status={"enum": ["PASS", "FAIL"]},
    error_type=ERROR_TYPE,
    message=TEXT,
    more={
        "started_at": TIME, "finished_at": TIME, "duration_ms": {"type": "number", "minimum": 0},
        "evidence_paths": many(NAME),
    },
)  # fmt: skip
SUMMARY = record(
    schema_version=VERSION,
    job_id=NAME,
    status={"enum": ["PASS", "FAIL"]},
    error_type=ERROR_TYPE,
    design=record(**PATHS),
    skill=record(name=NAME, version=NAME),
    metrics={"type": "object"},
    evidence=record(run_dir=NAME, summary_md=NAME, reports_dir=NAME),
)
INDEX = record(
    schema_version=VERSION,
    job_id=NAME,
    error_type=ERROR_TYPE,
    summary={"type": "string", "pattern": r"^[^\n]+(\n[^\n]+){0,2}\n?$"},
    pointers=record(
        manifest=NAME,
        timeline=NAME,
        reports_inventory=NAME,
        more={"last_fail_ack": NAME, "session_logs": many(NAME), "contract": NAME},
    ),
    next_actions=many(NAME, minItems=1),
)
INVENTORY = record(files=many(record(path=NAME, size={"type": "integer"}, mtime=TIME)))
LAYOUT = (
    "job_manifest.json", "job_timeline.jsonl", "scripts", "queue", "ack", "reports", "session",
    "summary.json", "summary.md",
)  # fmt: skip
JOB_ID = re.compile(r"\d{8}_\d{6}_\d+_[0-9a-z]{4}")
ACTIONS = {
    "LOCATE_DB": {"locate_db"},
    "START_SESSION": {"start_session"},
    "RESTORE_DB": {"submit_request", "receive_ack"},
    "RUN_SKILL": {"submit_request", "receive_ack"},
    "VALIDATE_OUTPUTS": {"validate_outputs"},
    "SUMMARIZE": {"summarize"},
}
"""What a state does, if it was entered."""


def troubles(run: Path) -> Iterator[str]:
    """Tell what of a job that has ended is not as the protocol says."""
    yield from (f"{name} is missing" for name in LAYOUT if not (run / name).exists())
    if JOB_ID.fullmatch(run.name) is None or run.parent.parts[-2:] != (".skillpilot", "runs"):
        yield f"it lies in {run}"
    manifest, summary = read(run / "job_manifest.json"), read(run / "summary.json")
    yield from fits(manifest, MANIFEST, "job_manifest.json")
    yield from fits(summary, SUMMARY, "summary.json")
    for name in ("job_id", "status", "error_type"):
        if manifest[name] != summary[name]:
            yield f"{name}: {manifest[name]} in the manifest, {summary[name]} in the summary"
    if (manifest["status"] == "PASS") != (manifest["error_type"] == "OK"):
        yield f"{manifest['status']} with {manifest['error_type']}"
    if manifest["job_id"] != run.name or manifest["runtime"]["run_dir"] != str(run):
        yield f"the manifest is of {manifest['job_id']} in {manifest['runtime']['run_dir']}"
    yield from _page(run, manifest)
    yield from _timeline(run, manifest)
    yield from _exchanges(run, manifest)
    yield from _restored(run, manifest)
    yield from _session(run)
    if manifest["status"] == "FAIL":
        yield from _bundle(run, manifest, summary)


def _page(run: Path, manifest: Any) -> Iterator[str]:
    page = (run / "summary.md").read_text()
    wanted = [manifest["status"], manifest["error_type"], "reports"]
    wanted += ["debug_bundle"] if manifest["status"] == "FAIL" else []
    yield from (f"summary.md does not say {word}" for word in wanted if word not in page)


def _timeline(run: Path, manifest: Any) -> Iterator[str]:
    lines = [json.loads(line) for line in (run / "job_timeline.jsonl").read_text().splitlines()]
    for line in lines:
        yield from fits(line, EVENT, "job_timeline.jsonl")
    if {line["job_id"] for line in lines} != {run.name}:
        yield "the timeline is of another job"
    times = [line["ts"] for line in lines]
    if times != sorted(times):
        yield "the times of the timeline go back"
    ends = [line for line in lines if line["event"] in {"DONE", "FAIL"}]
    wanted = "DONE" if manifest["status"] == "PASS" else "FAIL"
    if [line["event"] for line in ends] != [wanted]:
        yield f"the timeline ends with {[line['event'] for line in ends]}"
    if wanted == "FAIL" and [line["level"] for line in ends] != ["ERROR"]:
        yield "FAIL is no error"
    states = {kind: [line["state"] for line in lines if line["event"] == f"STATE_{kind}"]
              for kind in ("ENTER", "EXIT")}  # fmt: skip
    if states["ENTER"] != states["EXIT"]:
        yield f"states were entered {states['ENTER']} and left {states['EXIT']}"
    if states["ENTER"][:2] != ["INIT", "PREPARE_RUNDIR"] or states["ENTER"][-1] != wanted:
        yield f"the states are {states['ENTER']}"
    for state in states["ENTER"]:
        did = {line["data"]["action"] for line in lines
               if line["event"] == "ACTION" and line.get("state") == state}  # fmt: skip
        if lost := ACTIONS.get(state, set()) - did:
            yield f"{state} has no {lost}"


def _exchanges(run: Path, manifest: Any) -> Iterator[str]:
    requests = sorted(path.name for path in (run / "queue").glob("*.json"))
    acks = sorted(path.name for path in (run / "ack").glob("*.json"))
    yield from (f"{name} was not answered" for name in requests if name not in acks)
    yield from (f"{name} was not asked" for name in acks if name not in requests)
    for number, name in enumerate(requests, 1):
        if name not in acks:
            continue
        request, ack = read(run / "queue" / name), read(run / "ack" / name)
        yield from fits(request, REQUEST, f"queue/{name}")
        yield from fits(ack, ACK, f"ack/{name}")
        identity = request["request_id"]
        if name != f"{identity}.json" or not identity.startswith(f"{run.name}_{number:04d}_"):
            yield f"queue/{name} is of {identity}"
        if (ack["request_id"], ack["job_id"]) != (identity, run.name):
            yield f"ack/{name} is of {ack['request_id']}"
        if (ack["status"] == "PASS") != (ack["error_type"] == "OK"):
            yield f"ack/{name}: {ack['status']} with {ack['error_type']}"
        if ack["status"] == "FAIL" and not ack["message"]:
            yield f"ack/{name} gives no reason"
        if manifest["status"] == "PASS" and ack["status"] != "PASS":
            yield f"the job passes although ack/{name} has failed"
        if not (run / request["script"]).is_file():
            yield f"{request['script']} is gone"


def _session(run: Path) -> Iterator[str]:
    """Yield what people look for below ``session/`` and do not find."""
    if not (run / "session" / "tool").exists():
        return
    wanted = ["state.json", "supervisor.log", "*.stdout.log", "*.stderr.log"]
    if any((run / "queue").iterdir()):
        wanted += ["heartbeat", "ready"]
    found = run / "session"
    yield from (f"session/{name} is missing" for name in wanted if not [*found.glob(name)])


def _restored(run: Path, manifest: Any) -> Iterator[str]:
    """Yield what is not recorded of the one script that may source something from outside."""
    if not (asked := sorted((run / "queue").glob("*_0001_restore.json"))):
        return
    artifacts, name = manifest["artifacts"], asked[0].name
    wanted = {
        "restore_wrapper": "scripts/restore_wrapper.tcl",
        "restore_request": name.removesuffix(".json"),
        "restore_ack": f"ack/{name}",
    }
    if (told := {key: artifacts.get(key) for key in wanted}) != wanted:
        yield f"of the restore the manifest says {told}"
    enc = manifest["design"]["enc_path"]
    if enc not in (run / "scripts/restore_wrapper.tcl").read_text():
        yield f"the wrapper does not restore {enc}"
    if enc not in (run / "job_timeline.jsonl").read_text():
        yield f"the timeline does not say {enc}"


def _bundle(run: Path, manifest: Any, summary: Any) -> Iterator[str]:
    bundle = run / "debug_bundle"
    index = read(bundle / "index.json")
    yield from fits(index, INDEX, "debug_bundle/index.json")
    for document in (manifest["artifacts"], summary["evidence"]):
        if document.get("debug_bundle_dir") != "debug_bundle":
            yield f"the bundle is said to be in {document.get('debug_bundle_dir')}"
    if (index["job_id"], index["error_type"]) != (run.name, manifest["error_type"]):
        yield f"the bundle is of {index['job_id']}, {index['error_type']}"
    if read(bundle / "job_manifest.json") != manifest:
        yield "the bundle has another manifest"
    whole, part = ((top / "job_timeline.jsonl").read_text() for top in (run, bundle))
    if part.splitlines()[-1] != whole.splitlines()[-1]:
        yield "the timeline of the bundle does not go to the end"
    inventory = read(bundle / "reports_inventory.json")
    yield from fits(inventory, INVENTORY, "debug_bundle/reports_inventory.json")
    listed = {item["path"]: item["size"] for item in inventory["files"]}
    below = [path for path in (run / "reports").rglob("*") if path.is_symlink() or path.is_file()]
    there = {str(path.relative_to(run)): path.lstat().st_size for path in below}
    if listed != there:
        yield f"the inventory says {listed}, there are {there}"
    yield from _pointers(run, bundle, index["pointers"])


def _pointers(run: Path, bundle: Path, pointers: Any) -> Iterator[str]:
    """Yield what the bundle does not lead to, or leads to elsewhere."""
    logs = pointers.get("session_logs", [])
    single = [value for name, value in pointers.items() if name != "session_logs"]
    for path in (*single, *logs):
        if path.startswith("/") or ".." in path.split("/") or not (bundle / path).is_file():
            yield f"the bundle points to {path}"
    failed = [name for path in (run / "ack").glob("*.json")
              if read(path)["status"] == "FAIL" and (name := path.name)]  # fmt: skip
    if failed and pointers.get("last_fail_ack") != f"ack/{max(failed)}":
        yield f"the last ack that failed is {max(failed)}, not {pointers.get('last_fail_ack')}"
    if (run / "session" / "tool").exists():
        for word in ("supervisor.log", "stdout.log", "stderr.log", "state.json"):
            if not any(path.endswith(word) for path in logs):
                yield f"the bundle has no {word}"
    if "contract" not in pointers:
        yield "the bundle has no contract"


def fits(value: Any, schema: Any, where: str) -> Iterator[str]:
    """Yield where a document does not fit a schema."""
    for error in jsonschema.Draft202012Validator(schema).iter_errors(value):
        yield f"{where}: {error.json_path}: {error.message}"


def read(path: Path) -> Any:
    """Return what a file of JSON says."""
    return json.loads(path.read_text())

"""``debug_bundle/``: all that explains a job that failed, to be read anywhere. Pure.

It is made of what the journal vouches for, so it can be made again; its pointers lead nowhere but
into itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.record import Record, decode, encode_pretty
from custody.model.skill import paths
from custody.model.skill.documents import (
    BundleIndex,
    BundlePointers,
    Inventory,
    JobManifest,
    ReportsInventory,
)
from custody.model.skill.error_type import ErrorType
from custody.model.skill.job import Outputs
from custody.model.state import State
from custody.views.job import JobAccount

_T = TypeVar("_T", bound=Record)

CONTRACT = "contract.yaml"
INDEX = "index.json"
INVENTORY = "reports_inventory.json"
NOTES = "notes.txt"

_NEXT: dict[ErrorType, str] = {
    "LOCATOR_FAIL": "name the design by a path, or choose one by --select; both NAME.enc and"
    " NAME.enc.dat must be readable",
    "SESSION_START_FAIL": "see whether the tool starts by hand, and what its launcher says in"
    " session/supervisor.log",
    "INNOVUS_CRASH": "look at the end of the tool's log, and at its exit code in"
    " session/state.json",
    "HEARTBEAT_LOST": "see whether the machine and the tool are still there; session/state.json"
    " says when they were last heard of",
    "QUEUE_TIMEOUT": "give the script more time by --timeout, or by timeout_s in the contract",
    "RESTORE_FAIL": "restore the design by hand, with the same tool",
    "CMD_FAIL": "look for the first error in the tool's log, and at the last ack",
    "CONTRACT_INVALID": "`custody skill check` tells everything that is wrong with the skill",
    "OUTPUT_MISSING": "see which reports there are, and what the contract asks for",
    "OUTPUT_EMPTY": "see why the script leaves a report empty",
    "INTERNAL_ERROR": "this is custody's own fault, or somebody ended the job: see the timeline",
}


def bundle_files(
    job: JobAccount, state: State, contents: Callable[[Evidence], bytes | None]
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the bundle, each with its path relative to it."""
    manifest = job.manifest()
    found = dict(_copies(job, state, contents))
    yield from found.items()
    yield layout.JOB_MANIFEST, encode_pretty(manifest)
    yield layout.JOB_TIMELINE, bytes(job.lines)
    yield INVENTORY, encode_pretty(_inventory(state, contents, contract=CONTRACT in found))
    yield NOTES, _notes(manifest).encode()
    yield INDEX, encode_pretty(_index(job, manifest, found))


def _copies(
    job: JobAccount, state: State, contents: Callable[[Evidence], bytes | None]
) -> Iterator[tuple[str, bytes]]:
    """Yield documents of the run under the names that a bundle has for them."""
    named = {
        layout.JOB_CONTRACT: CONTRACT,
        layout.JOB_DESIGN: layout.JOB_DESIGN,
        layout.JOB_SUPERVISOR_LOG: layout.SUPERVISOR_LOG,
        layout.JOB_STATE: layout.SESSION_STATE,
        **dict(zip(paths.job_streams(job.tool), paths.session_streams(job.tool), strict=True)),
    }
    whole = (layout.ACK, layout.QUEUE)
    for path, item in sorted(state.documents.items()):
        script = layout.top_of(path) == layout.SCRIPTS and path != layout.BOOTSTRAP
        name = path if script or layout.top_of(path) in whole else named.get(path, "")
        data = contents(item) if name else None
        if data is not None:
            yield name, data


def _inventory(
    state: State, contents: Callable[[Evidence], bytes | None], *, contract: bool
) -> ReportsInventory:
    listed = _read(state, contents, layout.JOB_INVENTORY, Inventory) or Inventory(files=())
    outputs = _read(state, contents, layout.JOB_OUTPUTS, Outputs)
    required = () if outputs is None else outputs.required
    empty = (
        one.path for found in required if found.non_empty for one in found.files if not one.size
    )
    return ReportsInventory(
        files=listed.files,
        more=listed.more,
        missing=tuple(found.path for found in required if not found.count),
        empty=tuple(empty),
        contract=CONTRACT if contract else "",
    )


def _index(job: JobAccount, manifest: JobManifest, found: dict[str, bytes]) -> BundleIndex:
    ack = paths.source_ack(job.fail_ack)
    logs = tuple(sorted(name for name in found if layout.top_of(name) == layout.SESSIONS))
    return BundleIndex(
        job_id=manifest.job_id,
        error_type=manifest.error_type,
        summary=f"{manifest.skill.name}: {manifest.error_type}\n{manifest.message}",
        pointers=BundlePointers(
            manifest=layout.JOB_MANIFEST,
            timeline=layout.JOB_TIMELINE,
            reports_inventory=INVENTORY,
            last_fail_ack=ack if ack in found else msgspec.UNSET,
            session_logs=logs or msgspec.UNSET,
            contract=CONTRACT if CONTRACT in found else msgspec.UNSET,
        ),
        next_actions=_next(job, manifest),
    )


def _next(job: JobAccount, manifest: JobManifest) -> tuple[str, ...]:
    own = _NEXT.get(manifest.error_type)
    hints = tuple(str(hint) for hint in job.known.get("job.hints", ()))
    return (*((own,) if own else ()), *hints)


def _notes(manifest: JobManifest) -> str:
    return (
        f"{manifest.error_type}: {manifest.message}\n\n"
        "index.json says what is where. `custody skill rerun` on this folder runs the job again\n"
        "where "
        f"its inputs are at hand: the design {manifest.design.locator.query!r} in\n"
        f"{manifest.runtime.cwd}, and the skill {manifest.skill.name}.\n"
    )


def _read(
    state: State, contents: Callable[[Evidence], bytes | None], path: str, kind: type[_T]
) -> _T | None:
    item = state.documents.get(path)
    data = None if item is None else contents(item)
    return None if data is None else decode(data, kind, where=path)

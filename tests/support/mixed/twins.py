"""What two runs must have in common that were given the same, whatever happened to one of them.

Compared are how the run ended, every decision that counts in its order, every answer with what it
changed, the folders of the attempts, the final workspace with kinds, modes and contents, the
documents, and what manifest and summary say of all that. Not compared is what tells of clocks, of
processes and of places: seconds, time stamps, hashes of journal lines, the folder that the runs
lie in, what a person was asked by which number, and what was set aside.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from custody.model import layout
from custody.model.event import FACTS
from support.trees import picture

Account = dict[str, str]
"""Everything that must be the same, each under a name to be told by."""
Json = dict[str, Any]

MANIFEST = ("pipeline_sha256", "goal", "agent", "status", "parts", "answered_by", "final_workspace")
SUMMARY = ("status", "reason", "unhandled", "changed")
ROW = ("node", "type", "visit", "attempts", "outcome", "failure_reason", "changed", "folder")
ACK = ("status", "exit_code", "failure_reason", "failure_summary", "context_updates", "verdicts",
       "usage", "notes", "redacted")  # fmt: skip
_SECONDS = re.compile(rb'"seconds": [\d.e-]+')


def account(run: Path, home: Path) -> Account:
    """Return what a run that has ended comes to; ``home`` is where it and all it was given lies."""
    told = dict(_told(run))
    return {name: text.replace(str(home), "HOME") for name, text in told.items()}


def differences(one: Account, other: Account) -> list[str]:
    """Return what is not the same in both."""
    pairs = {name: (one.get(name, "nothing"), other.get(name, "nothing")) for name in one | other}
    return [f"{name}: {_apart(*pair)}" for name, pair in pairs.items() if len({*pair}) > 1]


def over_budget(told: Account) -> bool:
    """Whether the run ended because a budget was exceeded."""
    return '"budget exceeded' in told["summary reason"]


def journal(run: Path) -> list[Json]:
    """Return the whole lines of a run's journal; none before it has one."""
    try:
        text = (run / layout.EVENTS).read_bytes()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in text.split(b"\n")[:-1]]


def counting(lines: list[Json]) -> list[Json]:
    """Return the lines that no changed pipeline has set aside."""
    kept: list[Json] = []
    for line in lines:
        if line["event"] == "PipelineReplaced":
            kept = [each for each in kept if each["seq"] <= line["data"]["kept_seq"]]
        kept.append(line)
    return kept


def _apart(one: str, other: str) -> str:
    """Return two texts from shortly before the place where they part."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    begin = max(0, same - 100)
    return f"{one[begin : begin + 300]} / {other[begin : begin + 300]}"


def _told(run: Path) -> Iterator[tuple[str, str]]:
    manifest = json.loads((run / layout.MANIFEST).read_text())
    summary = json.loads((run / layout.SUMMARY).read_text())
    yield from ((f"manifest {name}", _text(manifest.get(name))) for name in MANIFEST)
    yield from ((f"summary {name}", _text(summary[name])) for name in SUMMARY)
    for number, row in enumerate(summary["stages"]):
        yield f"summary row {number}", _text({name: row[name] for name in ROW})
    for number, decision in enumerate(_decisions(run)):
        yield f"decision {number}", _text(decision)
    for folder in (layout.WORKSPACE, layout.DOCS, layout.AUDITS, layout.NODES):
        for path, (kind, mode, data) in picture(run / folder).items():
            is_holder = kind == "dir" and folder != layout.WORKSPACE  # maybe of what was set aside
            if not (is_holder or layout.is_set_aside(path) or _tells_the_time(path)):
                digest = hashlib.sha256(_SECONDS.sub(b"", data)).hexdigest()
                yield f"{folder}/{path}", f"{kind} {mode:o} {digest}"


def _decisions(run: Path) -> Iterator[Json]:
    for line in counting(journal(run)):
        kind, data = line["event"], line["data"]
        if not FACTS[kind].traits.decision:
            continue
        if kind == "PipelineStarted":
            data = {name: data[name] for name in ("decided_as", "goal", "variables", "workspace")}
        elif kind == "RequestAnswered":
            data = _answered(data)
        elif kind == "StageStarted" and data.get("request"):
            data = {**data, "request": _without(data["request"], "timeout")}
        yield {"event": kind, **data}


def _answered(data: Json) -> Json:
    ack = data["ack"]
    evidence = {
        item["path"]: item["sha256"]
        for item in ack.get("evidence", ())
        if not layout.is_correspondence(item["path"]) and not _tells_the_time(item["path"])
    }
    told = {name: ack.get(name) for name in ACK}
    told["level"] = (ack.get("confined") or {}).get("level")
    return {"request": ack["request_id"], "diff": data["diff"]["sha256"], **told, **evidence}


def _tells_the_time(path: str) -> bool:
    timed = (layout.STATUS, layout.VERIFICATION_RESULTS)
    return path.endswith((*(f"/{name}" for name in timed), ".log.jsonl"))


def _without(record: Json, name: str) -> Json:
    return {key: value for key, value in record.items() if key != name}


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)

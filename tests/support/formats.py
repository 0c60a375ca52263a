"""Run directories that were kept as archives, and what the command line says about one.

What is said is reduced to what must not change while the code does: exit codes, statuses,
counts, paths and hashes, but no sentence for people.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import stat
import tarfile
from pathlib import Path
from typing import Any

from custody.model import layout
from support.shell import Done, Here, Shell

RUNS = ".custody/runs"
LEFT_OUT = "./cache"
"""It belongs to the programs of the stages, and is large."""


def pack(run: Path, archive: Path) -> None:
    """Keep a run directory; the names are relative to it."""
    with (
        archive.open("xb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        tar.add(run, ".", filter=_nobodys)


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if member.name == LEFT_OUT or member.name.startswith(f"{LEFT_OUT}/"):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = int(member.mtime)
    return member


def unpack(archive: Path, home: Path) -> Shell:
    """Put a kept run where the command line finds it; return the command line."""
    run = home / RUNS / sample_of(archive)
    run.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        # devices and modes too; the keyword for it came with Python 3.11.4
        tar.extraction_filter = lambda member, _path: member
        tar.extractall(run)
    return Here(home)


def sample_of(archive: Path) -> str:
    """Return the name of a sample, which is its run's id."""
    return archive.name.partition(".")[0]


def tree(folder: Path) -> dict[str, str]:
    """Return everything below a folder: what it is and its owner's rights, its content."""
    return {
        str(path.relative_to(folder)): f"{_rights(path)} {_content(path)}"
        for path in sorted(folder.rglob("*"))
    }


def _rights(path: Path) -> str:
    """Return what kind of file this is and its owner's rights.

    A blob of version 1.0 could be written to, and one that is put again no longer can.
    """
    rights = stat.filemode(path.lstat().st_mode)[:4]
    return rights.replace("w", "-") if layout.BLOBS in path.parts[-3:-1] else rights


def _content(path: Path) -> str:
    if path.is_symlink():
        return os.readlink(path)
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return ""


def looks(custody: Shell, run: str) -> dict[str, Any]:
    """Return what every command that only looks says about a run."""
    shown = _ask(custody, "show", run)
    return {
        "verify": _verified(_ask(custody, "verify", run)),
        "show": _shown(shown),
        "stages": {node: _stage(custody, run, node) for node in _telling(shown)},
        "log": _logged(_ask(custody, "log", run)),
        "diff": _changed(_ask(custody, "diff", run)),
        "replay": _replayed(_ask(custody, "replay", run)),
        "inbox": _waiting(_ask(custody, "inbox")),
        "runs": [f"{row['run_id']} {row['status']}" for row in _ask(custody, "runs").data["runs"]],
        "text": {name: custody(name, run).code for name in ("show", "log", "diff", "verify")},
    }


def _ask(custody: Shell, *words: str) -> Done:
    """Run a command that must have something to say about the run."""
    done = custody(*words, "--json")
    assert not done.out.startswith('{"error_type"'), f"{' '.join(words)}: {done.out}"
    return done


def _verified(done: Done) -> dict[str, Any]:
    found = {name: done.data[name] for name in ("status", "lines", "evidence", "blobs")}
    wrong = sorted(f"{one['code']} {one['where']}" for one in done.data["mismatches"])
    return {"exit": done.code, **found, "mismatches": wrong}


def _shown(done: Done) -> dict[str, Any]:
    summary = done.data["summary"]
    return {
        "exit": done.code,
        "status": summary["status"],
        "waiting": done.data["waiting"],
        "stages": [
            f"{one['folder']} {one['type']} {one['outcome']}, attempts: {one['attempts']},"
            f" changed: {one['changed']}"
            for one in summary["stages"]
        ],
        "unhandled": sorted(summary["unhandled"]),
        "changed": summary["changed"],
    }


def _telling(done: Done) -> list[str]:
    """Return one stage of each type: that which changed most, or was tried most often."""
    stages = sorted(
        done.data["summary"]["stages"], key=lambda one: (one["changed"], one["attempts"])
    )
    return sorted({one["type"]: one["node"] for one in stages}.values())


def _stage(custody: Shell, run: str, node: str) -> dict[str, Any]:
    """Return what is said about the last attempt at a stage, and what all of them changed."""
    done = _ask(custody, "show", run, node)
    answer = done.data["shown"]["answer"]
    return {
        "exit": done.code,
        "attempts": len(done.data["attempts"]),
        "answer": answer and answer["ack"]["status"],
        "texts": sorted(done.data["texts"]),
        "unreadable": sorted(done.data["unreadable"]),
        "diff": _changed(_ask(custody, "diff", run, node)),
    }


def _logged(done: Done) -> dict[str, Any]:
    lines = [json.loads(line) for line in done.out.splitlines()]
    events = [f"{line['event']} {line['node'] or ''}".strip() for line in lines]
    return {"exit": done.code, "events": events}


def _changed(done: Done) -> dict[str, Any]:
    changes = [
        f"{one['change']} {one['path']}{'' if one['kept'] else ' (not kept)'}"
        for one in done.data["changes"]
    ]
    return {"exit": done.code, "changes": changes}


def _replayed(done: Done) -> dict[str, Any]:
    return {"exit": done.code, **{name: done.data[name] for name in ("status", "facts")}}


def _waiting(done: Done) -> dict[str, Any]:
    waiting = [
        f"{one['run_id']}/{one['request_id']} {'answered' if one['answered'] else 'waiting'}"
        for one in done.data["waiting"]
    ]
    return {"exit": done.code, "waiting": waiting}


def goes_on(custody: Shell, step: dict[str, Any]) -> dict[str, Any]:
    """Do what a step says, and return what the run has become.

    A step has ``words`` for the command line, the ``run`` that is looked at then, and perhaps a
    text for ``stdin`` and ``files`` that are written before.
    """
    for name, text in step.get("files", {}).items():
        custody.write(name, text)
    done = custody(*step["words"], stdin=step.get("stdin", ""))
    run = custody.folder / RUNS / step["run"]
    shown = _ask(custody, "show", step["run"]).data["summary"]
    return {
        "exit": done.code,
        "status": shown["status"],
        "stages": [f"{one['folder']} {one['outcome']}" for one in shown["stages"]],
        "workspace": tree(run / "workspace"),
        "documents": tree(run / "docs"),
        "published": tree(custody.folder / "out"),
        "verify": custody("verify", step["run"]).code,
        "replay": custody("replay", step["run"]).code,
    }

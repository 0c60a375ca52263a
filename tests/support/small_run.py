"""A small run of the store alone, and a judge of what is left when it ended before its end.

The judge takes the run up where it was left, checks every promise, and finishes it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import closing

from custody.errors import BlobDamaged, JournalBroken, RunNotFound
from custody.model.change import Tree
from custody.model.documents import Checkpoint
from custody.model.event import AnyFact, PipelineStarted, RequestAnswered
from custody.model.process_event import RunResumed
from custody.model.request import Ack
from custody.store.files import write_all
from custody.store.journal import Journal, read_lines
from custody.store.os_errors import failure
from custody.store.rundir import RunDirectory
from custody.store.view_files import ViewFiles
from support.journals import recover

STAGES = 4
RUN_ID = "r"
EARLIER = "earlier"
FEW, MANY = 2, 20
"""Contents of the earlier run that are synced one by one, and all together."""
CALLS = ("open", "write", "fsync", "fdatasync", "rename", "link", "unlink", "mkdir", "ftruncate")
"""Functions of ``os`` that change the disk or make a change durable."""
SYSTEM_CALLS = ("syncfs", "_renameat2")
"""Those of `custody.store.syscalls`."""

Heard = Callable[[int], None]


def begin(folder: str, heard: Heard) -> None:
    """Make a run and finish it; ``heard`` is told what is durable.

    It begins with all that the run of `prepare` began with, and something new.
    """
    with RunDirectory.create(f"{folder}/runs", RUN_ID) as run:
        run.write("pipeline.dot", b"digraph {}", sync=True)
        run.blobs.put(b"digraph {}")
        names = [*link_all(folder, run), create(run, b"new")]
        run.blobs.made(names)
        journal = Journal.create(run.root, RUN_ID)
        append(journal, started(run.blobs.put(json.dumps(names).encode())))
        run.blobs.sync()
        journal.commit()
        run.publish()
        heard(journal.count)
        go_on(run, journal, 0, heard)


def prepare(folder: str, contents: int) -> None:
    """Make a run that only begins, before the one that counts."""
    with RunDirectory.create(f"{folder}/runs", EARLIER) as run:
        names = [create(run, b"shared %d" % item) for item in range(contents)]
        run.blobs.made(names)
        journal = Journal.create(run.root, EARLIER)
        append(journal, started(run.blobs.put(json.dumps(names).encode())))
        run.blobs.sync()
        journal.commit()
        run.publish()
        journal.close()


def create(run: RunDirectory, data: bytes) -> str:
    sha256 = hashlib.sha256(data).hexdigest()
    try:
        run.blobs.folder.create(sha256, data)
    except OSError as error:
        raise failure(error, sha256) from error
    return sha256


def link_all(folder: str, run: RunDirectory) -> list[str]:
    """Give a run all that the earlier one began with; return the names."""
    with RunDirectory.open(f"{folder}/runs/{EARLIER}", write=False) as earlier:
        names = base_of(earlier)
        try:
            assert all(run.blobs.folder.link(earlier.blobs.folder, name) for name in names)
        except OSError as error:
            raise failure(error, EARLIER) from error
    return names


def base_of(run: RunDirectory) -> list[str]:
    """Return the contents that a run began with."""
    fact = next(read_lines(run.root, torn_ok=True)).fact()
    assert isinstance(fact, PipelineStarted)
    names: list[str] = json.loads(run.blobs.get(fact.workspace.sha256))
    return names


def take_up(folder: str, heard: Heard = lambda _: None) -> None:
    """Go on with a run after its process ended, and finish it."""
    with RunDirectory.open(f"{folder}/runs/{RUN_ID}", write=True) as run:
        run.sweep()
        journal, torn = recover(run.root, run.run_id)
        done = sum(line.event == "RequestAnswered" for line in read_lines(run.root))
        append(journal, RunResumed(torn_bytes=torn))
        go_on(run, journal, done, heard)


def go_on(run: RunDirectory, journal: Journal, done: int, heard: Heard) -> None:
    with closing(ViewFiles(run.root)) as views:
        for number in range(done + 1, STAGES + 1):
            append(journal, stage_of(run, number))
            run.blobs.sync()
            journal.commit()
            heard(journal.count)
            views.append("trace.jsonl", b"{}\n")
            run.write_document("checkpoint.json", checkpoint(journal))
    run.write("manifest.json", b'{"run_id":"r"}', sync=True)


def stage_of(run: RunDirectory, number: int) -> AnyFact:
    folder = run.stage(f"n{number}/1.1")
    folder.clear()
    prompt = folder.write("prompt.md", "short")
    response = folder.write("response.md", f"{number} " * 3000)
    with folder.open_stream("tool.stdout.log") as stream:
        write_stream(stream.fileno(), b"%d" % number * 5000)
    blobs = [run.blobs.put(b"%d.%d" % (number, item)) for item in range(2)]
    evidence = (prompt, response.sealed(), folder.seal("tool.stdout.log"))
    if not run.root.exists(f"acks/{number}.json"):
        run.root.create(f"acks/{number}.json", b"{}")
    diff = folder.write("workspace.diff.json", json.dumps(blobs))
    folder.settle()
    ack = Ack(request_id=f"n{number}/1.1", status="ok", evidence=evidence)
    return RequestAnswered(node=f"n{number}", ack=ack, diff=diff)


def write_stream(descriptor: int, data: bytes) -> None:
    try:
        write_all(descriptor, data)
    except OSError as error:
        raise failure(error, "tool.stdout.log") from error


def started(tree: str) -> PipelineStarted:
    return PipelineStarted(
        pipeline="p",
        pipeline_sha256="",
        decided_as=RUN_ID,
        goal="",
        variables={},
        agent="",
        workdir="",
        workspace=Tree(sha256=tree, entries=0, bytes=0),
        versions={},
    )


def checkpoint(journal: Journal) -> Checkpoint:
    return Checkpoint(
        run_id=RUN_ID,
        pipeline_sha256="",
        status="RUNNING",
        node="",
        visit=1,
        attempt=1,
        steps=1,
        events=journal.count,
        offset=journal.offset,
        head=journal.head,
    )


def append(journal: Journal, fact: AnyFact) -> None:
    journal.append(fact, role="engine", path="")


def judge(folder: str, durable: int, *, views_whole: bool) -> str:
    """Return what is wrong with the run that was left in ``folder``; empty when nothing is."""
    try:
        take_up(folder)
    except (RunNotFound, JournalBroken) as error:
        never_began = isinstance(error, RunNotFound) or error.code == "empty"
        return "" if never_began and durable == 0 else f"lost: {error}"
    with RunDirectory.open(f"{folder}/runs/{RUN_ID}", write=False) as run:
        lines = list(read_lines(run.root, run_id=RUN_ID))
        facts = [line.fact() for line in lines]
        answers = [fact for fact in facts if isinstance(fact, RequestAnswered)]
        if len(lines) < durable:
            return f"{durable} lines were durable, {len(lines)} are left"
        if [fact.node for fact in answers] != [f"n{number + 1}" for number in range(STAGES)]:
            return "a stage was lost or done twice"
        try:
            for name in base_of(run):
                run.blobs.get(name)
            for fact in answers:
                for evidence in (*fact.ack.evidence, fact.diff):
                    run.read_evidence(evidence)
                for blob in json.loads(run.read_evidence(fact.diff)):
                    run.blobs.get(blob)
        except BlobDamaged as error:
            return f"named, but gone: {error}"
        return leftovers(run) or (half_files(run) if views_whole else "")


def leftovers(run: RunDirectory) -> str:
    for folder, _, names in os.walk(run.path):
        if left := [name for name in names if name.startswith(".tmp.")]:
            return f"left in {folder}: {left}"
    return ""


def half_files(run: RunDirectory) -> str:
    run.read_document("checkpoint.json", Checkpoint)
    for number in range(STAGES):
        for folder in run.root.names(f"nodes/n{number + 1}"):
            path = f"nodes/n{number + 1}/{folder}/response.md"
            if run.root.exists(path) and len(run.root.read(path)) != 6000:
                return f"half a file: {path}"
    return ""


def creates(flags: int) -> bool:
    return bool(flags & os.O_CREAT) or flags & os.O_TMPFILE == os.O_TMPFILE

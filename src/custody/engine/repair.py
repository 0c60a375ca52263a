"""Putting files of a run back that a crash left spoiled, missing, or where they do not belong."""

from __future__ import annotations

from custody.errors import PathRefused
from custody.model import layout
from custody.model.event import AnyFact
from custody.model.evidence import Evidence
from custody.store.history import History
from custody.store.rundir import RunDirectory


def put_back_texts(run: RunDirectory, fact: AnyFact) -> None:
    """Write the short files of an attempt again that a power failure spoiled.

    They are never synced, because the journal holds their texts.
    """
    for evidence in fact.evidence():
        text = evidence.text
        if text is not None and layout.is_attempt_file(evidence.path) and _spoiled(run, evidence):
            run.write(evidence.path, text.encode())


def put_back_documents(run: RunDirectory, written: dict[str, Evidence]) -> None:
    """Write documents again that a stage replaced whose answer does not count.

    What no stage has ``written`` is set aside, whole documents and changed ones alike: somebody
    put it there, or it was written for an answer that was never recorded, or that a changed
    pipeline has set aside. What is written once stays: whoever goes on with its request finds that
    it was made.
    """
    there = [
        path
        for path in run.files()
        if layout.is_document(path) and not layout.is_written_once(path)
    ]
    for path in there:
        if path not in written and not layout.is_set_aside(path):
            run.set_aside(path)
    for path, evidence in written.items():
        if layout.is_written_once(path):
            if not run.root.exists(path):
                run.write(path, run.document(evidence), sync=True)
        elif path not in there:
            run.write(path, run.document(evidence), sync=True)
        elif run.root.digest(path)[0] != evidence.sha256:
            data = run.document(evidence)
            run.set_aside(path)
            run.write(path, data, sync=True)


def set_aside_attempts(history: History) -> None:
    """Set aside the folders of attempts that no line that counts tells of.

    A changed pipeline leaves them, of nodes too that it no longer has or calls by another name.
    """
    run = history.run
    there = run.root.names(layout.NODES) if run.root.exists(layout.NODES) else []
    for node in sorted(history.cut_nodes.intersection(there)):
        known = history.attempts_at(node)
        for number in run.root.names(layout.node_folder(node)):
            path = layout.request_folder(f"{node}/{number}")
            if number not in known and not layout.is_set_aside(path):
                run.set_aside(path)


def _spoiled(run: RunDirectory, evidence: Evidence) -> bool:
    try:
        return run.root.digest(evidence.path)[0] != evidence.sha256
    except PathRefused:
        return True

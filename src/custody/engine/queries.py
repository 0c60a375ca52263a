"""Looking at a run, ended or not: nothing is written and nothing is locked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from custody.engine.records import Records
from custody.engine.session import RunResult
from custody.engine.waiting import waiting
from custody.errors import UsageError
from custody.model.event import JournalLine
from custody.model.record import encode
from custody.store.follow import follow
from custody.store.journal import read_lines
from custody.store.rundir import RunDirectory
from custody.views.attempts import Account, attempts, texts_of
from custody.views.changed import ChangedFile, changed_by_node, changed_by_run
from custody.views.collect import Collector
from custody.views.rebuild import collect


def overview(path: str) -> RunResult:
    """Return how the run went, or how far it has come."""
    with RunDirectory.open(path, write=False) as run:
        records = Records(run)
        collector, last = Collector(run.run_id), b""

        def noticed() -> Iterator[JournalLine]:
            nonlocal last
            for line in records.lines():
                last = encode(line)
                yield line

        for _fact, _made in collect(collector, noticed(), records.changes_of):
            pass
        summary = collector.summary(hashlib.sha256(last).hexdigest())
        awaited = waiting(path) if summary.status == "RUNNING" else None
        return RunResult(
            run_id=run.run_id,
            path=run.path,
            summary=summary,
            waiting="" if awaited is None or awaited.answered else awaited.request_id,
        )


def account(path: str, node: str, attempt: str) -> Account:
    """Return everything about one attempt at ``node``: ``1.1`` and so on, or the last one."""
    with RunDirectory.open(path, write=False) as run:
        records = Records(run)
        tried = attempts(records.lines(), node)
        if not tried:
            raise _never_came(run, node)
        shown = next((one for one in reversed(tried) if attempt in ("", one.number)), None)
        if shown is None:
            numbers = ", ".join(one.number for one in tried)
            raise UsageError(f"{node!r} had no attempt {attempt!r}", hint=f"it had {numbers}")
        texts, unreadable = texts_of(run, shown)
        return Account(
            shown=shown,
            attempts=tried,
            changes=() if shown.answer is None else records.changes_of(shown.answer),
            texts=texts,
            unreadable=unreadable,
        )


def events(path: str, *, following: bool) -> Iterator[JournalLine]:
    """Yield the journal, those lines too that a changed pipeline set aside."""
    with RunDirectory.open(path, write=False) as run:
        if following:
            yield from follow(run.root)
        else:
            yield from read_lines(run.root, run_id=run.run_id, torn_ok=True)


def changes(path: str, node: str) -> Iterator[ChangedFile]:
    """Yield what the run has changed by now, or what each attempt at ``node`` did."""
    with RunDirectory.open(path, write=False) as run:
        records = Records(run)
        if not node:
            yield from changed_by_run(run.blobs, records.lines(), records.changes_of)
            return
        if not any(line.node == node for line in records.lines()):
            raise _never_came(run, node)
        yield from changed_by_node(run.blobs, records.lines(), records.changes_of, node)


def _never_came(run: RunDirectory, node: str) -> UsageError:
    return UsageError(
        f"run {run.run_id} never came to {node!r}",
        hint=f"`custody show {run.run_id}` lists its stages",
    )

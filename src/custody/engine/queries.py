"""Looking at a run, ended or not: nothing is written and nothing is locked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import msgspec
from msgspec import UNSET, UnsetType

from custody.engine.result import RunResult
from custody.engine.waiting import still_waits
from custody.errors import CustodyError, UsageError
from custody.model import layout
from custody.model.event import JournalLine
from custody.model.record import Record, ready
from custody.model.usage import UsageTotal
from custody.store.follow import follow
from custody.store.history import History
from custody.store.journal import read_lines
from custody.store.lock import is_locked
from custody.store.run_state import RunState, state_of
from custody.store.rundir import RunDirectory
from custody.views.attempts import Account, attempts, texts_of
from custody.views.changed import ChangedFile, changed_by_node, changed_by_run
from custody.views.collect import collected


def overview(path: str) -> RunResult:
    """Return how the run went, or how far it has come."""
    with RunDirectory.open(path, write=False) as run:
        return overview_of(History.read(run), state=state_of(run.root))


def overview_of(history: History, *, state: RunState) -> RunResult:
    """Return the same of a run whose journal has been read; ``state`` is how it stands now."""
    run = history.run
    collector = collected(run.run_id, history.lines(), history.changes_of)
    return RunResult(
        run_id=run.run_id,
        path=run.path,
        summary=collector.summary(history.position.head),
        waiting=still_waits(history) if history.status == "RUNNING" else "",
        state=state,
        source=history.genesis.workdir,
        at_work=_at_work(history) if state == "RUNNING" else (),
    )


def _at_work(history: History) -> tuple[str, ...]:
    """Return what was asked for and has no answer, each by the id of its request."""
    return tuple(request.id for request in history.open_requests())


class RunCost(Record, frozen=True):
    """What a run has cost by now."""

    active_seconds: float | None = None
    """None where the run cannot be read."""
    usage: UsageTotal | UnsetType = UNSET
    """Unset where it is not told, as in summaries before journal version 1.3."""


class _Closing(msgspec.Struct):
    """What is needed of a closing summary, whatever else it holds."""

    active_seconds: float
    usage: UsageTotal | UnsetType = UNSET


def cost(path: str, *, ended: bool) -> RunCost:
    """Return what a run has cost: of one that has ended its summary tells, else its journal."""
    try:
        if not ended:
            found = overview(path).summary
            return RunCost(active_seconds=found.active_seconds, usage=found.usage)
        with RunDirectory.open(path, write=False) as run:
            closing = msgspec.json.decode(run.root.read(layout.SUMMARY), type=ready(_Closing))
    except (CustodyError, msgspec.MsgspecError, UnicodeError, RecursionError):
        return RunCost()  # `custody verify` tells what is wrong with it
    return RunCost(active_seconds=closing.active_seconds, usage=closing.usage)


def account(path: str, node: str, attempt: str) -> Account:
    """Return everything about one attempt at ``node``: ``1.1`` and so on, or the last one."""
    with RunDirectory.open(path, write=False) as run:
        history = History.read(run)
        tried = attempts(history.lines_of(node), node)
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
            changes=() if shown.answer is None else history.changes_of(shown.answer),
            texts=texts,
            unreadable=unreadable,
        )


def events(path: str, *, following: bool) -> Iterator[JournalLine]:
    """Yield the journal, those lines too that a changed pipeline set aside."""
    with RunDirectory.open(path, write=False) as run:
        if following:
            yield from follow(run.root, at_work=partial(is_locked, run.root))
        else:
            yield from read_lines(run.root, run_id=run.run_id, torn_ok=True)


def changes(path: str, node: str) -> Iterator[ChangedFile]:
    """Yield what the run has changed by now, or what each attempt at ``node`` did."""
    with RunDirectory.open(path, write=False) as run:
        history = History.read(run)
        if not node:
            yield from changed_by_run(run.blobs, history.lines(), history.changes_of)
            return
        if not history.knows(node):
            raise _never_came(run, node)
        yield from changed_by_node(run.blobs, history.lines_of(node), history.changes_of, node)


def _never_came(run: RunDirectory, node: str) -> UsageError:
    return UsageError(
        f"run {run.run_id} has no stage {node!r}",
        hint=f"`custody show {run.run_id}` lists its stages",
    )

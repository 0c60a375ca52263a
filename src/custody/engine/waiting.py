"""What waits for a person: found in the journals, answered by one file that is written once."""

from __future__ import annotations

import os

from custody.checks.guards.secrets import redactor_for
from custody.errors import CustodyError, RunNotFound, UsageError
from custody.model.record import Record
from custody.store.history import History
from custody.store.index import list_runs
from custody.store.mailbox import box_of
from custody.store.rundir import RunDirectory


class Waiting(Record, frozen=True):
    """One request that a person must answer."""

    run_id: str
    request_id: str
    since: str
    """When the run began to wait."""
    prompt: str
    """Path of what is asked for."""
    answer: str
    """Path of what must be written."""
    answered: bool
    """Whether the answer is there: then the run only needs to be resumed."""


def waiting(path: str) -> Waiting | None:
    """Return what the run at ``path`` waits for; None when it does not."""
    with RunDirectory.open(path, write=False) as run:
        history = History.read(run)
        if history.waiting is None:
            return None
        since, fact = history.waiting
        return Waiting(
            run_id=run.run_id,
            request_id=fact.request_id,
            since=since,
            prompt=f"{run.path}/{fact.path}",
            answer=f"{run.path}/{fact.answer}",
            answered=_is_answered(run, fact.answer),
        )


def still_waits(history: History) -> str:
    """Return the request that has no answer yet; empty when the run does not wait for one."""
    if history.waiting is None:
        return ""
    _, fact = history.waiting
    return "" if _is_answered(history.run, fact.answer) else fact.request_id


def inbox(runsdir: str) -> list[Waiting]:
    """Return what waits over all runs of a folder; one that cannot be read is left out."""
    found: list[Waiting] = []
    for row in list_runs(runsdir):
        if row.status == "RUNNING":
            try:
                one = waiting(row.path)
            except CustodyError:
                continue  # `custody runs` and `custody verify` tell what is wrong with it
            if one is not None:
                found.append(one)
    return found


def answer(request: str, text: str, runsdir: str) -> Waiting:
    """Write the answer to ``request``, once; secrets are taken out of it first.

    ``request`` is a request's id where one run alone waits for it, or ``RUN/NODE/VISIT.ATTEMPT``.
    """
    if not text.strip():
        raise UsageError("the answer is empty")
    one = named(request, inbox(runsdir))
    cleaned, _count = redactor_for(os.environ).redact(text)
    path = os.path.join(runsdir, one.run_id)
    with RunDirectory.open(path, write=False) as run:
        box, key = box_of(run.root, os.path.relpath(one.answer, run.path))
        if not box.put(key, cleaned.encode(errors="replace")):
            raise _answered(one)
    return waiting(path) or one


def named(request: str, found: list[Waiting]) -> Waiting:
    """Return the one of that name; raises `RunNotFound` when there is none, or more than one."""
    named = [one for one in found if request in (one.request_id, f"{one.run_id}/{one.request_id}")]
    if len(named) == 1:
        return named[0]
    if named:
        runs = ", ".join(f"{one.run_id}/{one.request_id}" for one in named)
        raise RunNotFound(f"{request!r} is waiting in several runs", hint=f"say which: {runs}")
    raise RunNotFound(f"no request {request!r} is waiting", hint="`custody inbox` lists them")


def _is_answered(run: RunDirectory, path: str) -> bool:
    box, key = box_of(run.root, path)
    return box.has(key)


def _answered(one: Waiting) -> UsageError:
    return UsageError(
        f"{one.request_id} is already answered",
        where=one.answer,
        hint=f"custody resume {one.run_id}",
    )

"""What waits for a person: found in the journals, answered by one file that is written once."""

from __future__ import annotations

import os

from msgspec import UNSET

from custody.checks.guards.secrets import redactor_for
from custody.errors import CustodyError, RunNotFound, UsageError
from custody.executors.answer_check import fault_of
from custody.model.record import Record
from custody.model.request import AgentRequest
from custody.store.history import History
from custody.store.index import list_runs
from custody.store.mailbox import FILE_LIMIT, box_of
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
    path: str = ""
    """The run directory; it may be called otherwise than the run."""
    pipeline: str = ""
    """What the run goes through."""


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
            path=run.path,
            pipeline=history.genesis.pipeline,
        )


def take_targets(history: History) -> None:
    """Take a document that a person put where it belongs as the answer to who asked for it.

    It goes to the inbox, where every answer lies, and from there it becomes the document.
    """
    if history.waiting is None:
        return
    run, (_, waits) = history.run, history.waiting
    for request in history.open_requests():
        if request.id != waits.request_id or not isinstance(request, AgentRequest):
            continue
        if request.role is UNSET or not run.root.exists(request.output_path):
            continue
        known = history.documents().get(request.output_path)
        if known is not None and run.root.digest(request.output_path)[0] == known.sha256:
            continue
        data = run.root.read(request.output_path, limit=FILE_LIMIT)
        cleaned, _count = redactor_for(os.environ).redact_bytes(data)
        box, key = box_of(run.root, waits.answer)
        if box.put(key, cleaned):
            run.root.remove(request.output_path)


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
    Raises `UsageError` for what can be no answer; nothing is written then.
    """
    one = named(request, inbox(runsdir))
    cleaned, _count = redactor_for(os.environ).redact(text)
    data = cleaned.encode(errors="surrogateescape")
    with RunDirectory.open(one.path, write=False) as run:
        _refuse_unfit(data, one, History.read(run))
        box, key = box_of(run.root, os.path.relpath(one.answer, run.path))
        if not box.put(key, data):
            raise _answered(one)
    return waiting(one.path) or one


def _refuse_unfit(data: bytes, one: Waiting, history: History) -> None:
    asked = [request for request in history.open_requests() if request.id == one.request_id]
    for request in asked:
        if isinstance(request, AgentRequest) and (fault := fault_of(data, request)):
            hint = f"the question is {one.prompt}"
            raise UsageError(f"the answer cannot be taken: {fault}", hint=hint)


def named(request: str, found: list[Waiting]) -> Waiting:
    """Return the one of that name; raises `RunNotFound` when there is none, or more than one."""
    named = [one for one in found if request in (*_names(one), one.request_id)]
    exactly = [one for one in named if request == _names(one)[0]]
    if len(exactly or named) == 1:
        return (exactly or named)[0]
    if named:
        runs = ", ".join(_names(one)[0] for one in named)
        raise RunNotFound(f"{request!r} is waiting in several runs", hint=f"say which: {runs}")
    raise RunNotFound(f"no request {request!r} is waiting", hint="`custody inbox` lists them")


def _names(one: Waiting) -> tuple[str, str]:
    """Return how a request is named: after the run's directory, and after the run itself."""
    folder = os.path.basename(one.path) or one.run_id
    return f"{folder}/{one.request_id}", f"{one.run_id}/{one.request_id}"


def _is_answered(run: RunDirectory, path: str) -> bool:
    box, key = box_of(run.root, path)
    return box.has(key)


def _answered(one: Waiting) -> UsageError:
    return UsageError(
        f"{one.request_id} is already answered",
        where=one.answer,
        hint=f"custody resume {one.run_id}",
    )

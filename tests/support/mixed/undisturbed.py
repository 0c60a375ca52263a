"""The undisturbed twins of mixed runs: the same pipelines and answers, and nothing in the way."""

from __future__ import annotations

import os
import threading

from custody import api
from custody.engine.result import RunResult
from custody.model import layout
from support.mixed.mixes import Mix
from support.mixed.place import MixedPlace


def undisturbed(place: MixedPlace, mix: Mix) -> None:
    """Take a run to its end, and the one that branches off it.

    A run whose pipeline changes begins with what that becomes: so whatever was kept of the work
    before the change must be what the changed pipeline would have done. A fork of it cannot, and
    is changed when it has ended.
    """
    runsdir = str(place.runs)
    result = api.run(
        place.pipeline(mix, "last" if mix.changes == mix.run_id else "first"),
        workdir=str(place.project),
        runsdir=runsdir,
        run_id=mix.run_id,
        agent=place.agent(mix),
        confinement=mix.level,
    )
    _answered(result, mix, runsdir)
    if mix.fork:
        other = place.agent(mix, other=True) if mix.fork_answers else ""
        forked = api.fork(mix.run_id, mix.fork, runsdir=runsdir, run_id=mix.fork_id, agent=other)
        _answered(forked, mix, runsdir)
        if mix.changes:
            last = place.pipeline(mix, "last")
            changed = api.resume(mix.fork_id, runsdir=runsdir, pipeline=last, accept_change=True)
            _answered(changed, mix, runsdir)


def _answered(result: RunResult, mix: Mix, runsdir: str) -> None:
    """Answer what a run waits for, until it has ended."""
    while result.waiting:
        letter = mix.letter(layout.node_of(result.waiting))
        api.answer(f"{result.run_id}/{result.waiting}", letter, runsdir=runsdir)
        result = api.resume(result.run_id, runsdir=runsdir)


def held() -> list[str]:
    """Return what this process holds: the files that it has open, and its threads."""
    found = [thread.name for thread in threading.enumerate()]
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{name}"))
        except FileNotFoundError:
            continue  # what listed them
    return sorted(found)

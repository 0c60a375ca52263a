"""By which line a run has cached what lies beneath its later attempts."""

from __future__ import annotations

from custody.engine.cached import asks_agent, cached_by
from custody.store.history import History
from custody.store.rundir import RunDirectory
from support.bench import Bench

TOOLS = 'one [type=tool, tool_command="true"]\ntwo [type=tool, tool_command="true"]\n'


def begins(history: History, node: str) -> int:
    found = history.last_visit(node)
    assert found is not None
    return found


def test_nothing_is_cached_for_later_once_an_agent_was_asked(bench: Bench) -> None:
    bench.run(f'{TOOLS}a [prompt="x"]\nstart -> one -> a -> two -> done')
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        history = History.read(run)
        assert not cached_by(history, begins(history, "one") - 1)
        assert cached_by(history, begins(history, "one"))
        assert cached_by(history, begins(history, "two"))
        asking = [line.seq for line, fact in history.lines() if asks_agent(fact)]
        assert asking == [begins(history, "a")]


def test_without_an_agent_every_stage_caches(bench: Bench) -> None:
    bench.run(f"{TOOLS}start -> one -> two -> done")
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        history = History.read(run)
        assert not cached_by(history, begins(history, "one"))
        assert cached_by(history, begins(history, "two"))

"""Requests that are due together, and where their answers come from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from custody import api
from custody.engine.ask import Asked, Round, Steps, go
from custody.engine.recording import Recording, RecordingEnded
from custody.engine.replay import Remembered
from custody.errors import ReplayDiverged
from custody.model.event import RequestAnswered, StageStarted
from custody.model.journal_version import CURRENT
from custody.store.history import History
from custody.store.rundir import RunDirectory
from support.bench import Bench

BODY = 'a [prompt="x"] b [prompt="y"] start -> a -> b -> done'


@pytest.fixture
def history(bench: Bench) -> Iterator[History]:
    """Return what is recorded of a run with two requests."""
    bench.run(BODY)
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        yield History.read(run)


def requests(history: History, bench: Bench) -> list[Asked]:
    nodes = api.load(str(bench.home / "pipeline.dot")).nodes
    return [
        Asked(nodes[fact.node], fact.request)
        for _, fact in history.lines()
        if isinstance(fact, StageStarted) and fact.request is not None
    ]


def answers_only(history: History) -> Recording:
    """Return a recording of the answers alone."""
    lines = [heard for heard in history.lines() if isinstance(heard[1], RequestAnswered)]
    recording = Recording(lines, None, version=CURRENT)
    recording.rewind(lambda _fact: None)
    return recording


def test_recorded_answers_are_given_in_their_order(history: History, bench: Bench) -> None:
    asked = requests(history, bench)
    due = Round(tuple(asked), answers_only(history), Remembered(history))
    told = [due.answer(one, lambda *_: True).answered.ack.request_id for one in asked]
    assert told == ["a/1.1", "b/1.1"]


def test_an_answer_out_of_turn_is_another_run(history: History, bench: Bench) -> None:
    asked = requests(history, bench)
    due = Round(tuple(asked), answers_only(history), Remembered(history))
    with pytest.raises(ReplayDiverged, match=r"an answer to b/1\.1 is due"):
        due.answer(asked[1], lambda *_: True)


def test_each_request_is_answered_once(history: History, bench: Bench) -> None:
    asked = requests(history, bench)
    due = Round(tuple(asked), answers_only(history), Remembered(history))
    due.answer(asked[0], lambda *_: True)
    with pytest.raises(KeyError):
        due.answer(asked[0], lambda *_: True)


def test_a_replay_ends_where_nothing_is_recorded(history: History, bench: Bench) -> None:
    asked = requests(history, bench)
    nothing = Recording([], None, version=CURRENT)
    due = Round(tuple(asked), nothing, Remembered(history))
    with pytest.raises(RecordingEnded):
        due.answer(asked[0], lambda *_: True)


def test_steps_are_taken_round_by_round(history: History, bench: Bench) -> None:
    asked = requests(history, bench)

    def work() -> Steps[list[str]]:
        told = []
        for one in asked:
            due = yield (one,)
            told.append(due.answer(one, lambda *_: True).answered.node)
        return told

    assert go(work(), answers_only(history), Remembered(history)) == ["a", "b"]


def test_work_that_asks_for_nothing_ends_at_once(history: History) -> None:
    def work() -> Steps[int]:
        yield from ()
        return 7

    assert go(work(), answers_only(history), Remembered(history)) == 7

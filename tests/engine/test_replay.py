"""The recorded answers lead to the recorded decisions."""

from __future__ import annotations

import pytest

from custody import api
from custody.engine import replay as engine
from custody.engine.replay import play
from custody.engine.run_pipeline import pipeline_of
from custody.errors import ReplayDiverged
from custody.handlers import catalog
from custody.pipeline.read import load_pipeline
from custody.store.history import History
from custody.store.rundir import RunDirectory
from support.bench import Bench

BODY = (
    'check [prompt="c", test.outcome_sequence="fail,retry,success", max_retries=1, '
    'retry_delay="0s"]\nfix [type=tool, tool_command="touch src.txt"]\n'
    'start -> check\ncheck -> fix [condition="outcome=fail"]\n'
    'check -> done [condition="outcome=success"]\nfix -> check'
)


@pytest.mark.req("P-11")
def test_a_replay_reaches_every_recorded_fact(bench: Bench) -> None:
    bench.run(BODY)
    played = api.replay("r1", runsdir=str(bench.runsdir))
    assert played.facts == len(bench.facts())
    assert played.status == "PASS"


def test_a_replay_touches_nothing(bench: Bench) -> None:
    bench.run(BODY)
    before = {path: path.stat().st_mtime_ns for path in bench.path("").rglob("*")}
    api.replay("r1", runsdir=str(bench.runsdir))
    assert before == {path: path.stat().st_mtime_ns for path in bench.path("").rglob("*")}


def test_other_rules_lead_elsewhere_and_it_shows(bench: Bench) -> None:
    bench.run(BODY)
    source = bench.path("pipeline.dot").read_bytes().replace(b"max_retries=1", b"max_retries=0")
    other = load_pipeline(source, catalog(), where="other")
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        with pytest.raises(ReplayDiverged, match="StageRetrying"):
            engine.replay(History.read(run), other)
        history = History.read(run)
        assert play(history, pipeline_of(history), history.lines()).divergence == ""


def test_a_run_that_was_left_replays_as_far_as_it_goes(bench: Bench) -> None:
    bench.run(BODY)
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        history = History.read(run)
        played = play(history, pipeline_of(history), history.lines(last=5))
    assert played.status == "RUNNING"
    assert played.facts == 6
    assert played.divergence == ""

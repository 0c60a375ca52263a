"""What was spent by an attempt that was broken off stays spent."""

from __future__ import annotations

import signal
import time

import pytest

from custody import api
from custody.model.attempt_event import AttemptLost
from custody.model.event import AnyFact, RequestAnswered, StageRetrying, StageStarted
from custody.model.process_event import RunInterrupted, RunResumed
from custody.store.journal import read_lines
from custody.store.process_times import epoch
from custody.store.root import Root
from support.bench import Bench
from support.counted import CountedAgent, custody, told, until
from support.lists import holds

TALKS = """t [type=tool, tool_command="sh -c 'while :; do echo x; sleep 0.1; done'"]
start -> t -> done
"""


def command(bench: Bench, body: str, agent: str = "fake", graph: str = "") -> list[str]:
    return [
        "run", bench.pipeline(body, graph=graph), "--workdir", str(bench.workdir),
        "--runsdir", str(bench.runsdir), "--run-id", "r1", "--agent", agent,
    ]  # fmt: skip


def lost(bench: Bench) -> list[AttemptLost]:
    return [fact for fact in bench.facts() if isinstance(fact, AttemptLost)]


def resumed(bench: Bench) -> tuple[str, str]:
    summary = api.resume("r1", runsdir=str(bench.runsdir)).summary
    return summary.status, summary.reason


@pytest.mark.req("G-24")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_time_of_an_attempt_that_was_broken_off_counts(
    bench: Bench, number: signal.Signals
) -> None:
    process = custody(*command(bench, TALKS, graph='max_seconds="4s"'))
    until(bench.path("nodes/t/1.1/tool.stdout.log"), "x", 20)
    told(process, number)
    status, reason = resumed(bench)
    (one,) = lost(bench)
    (answered,) = (fact for fact in bench.facts() if isinstance(fact, RequestAnswered))
    assert one.spent.seconds > 1
    assert answered.ack.status == "timeout"
    assert one.spent.seconds + answered.ack.seconds == pytest.approx(4, abs=0.9)
    assert (status, "budget exceeded: max_seconds" in reason) == ("FAIL", True)
    holds(bench)


@pytest.mark.req("G-24")
def test_what_is_spent_up_is_not_asked_for_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = CountedAgent(bench, monkeypatch)
    body = 'a [prompt="x", max_retries=3]\nstart -> a\na -> done [condition="outcome=fail"]'
    process = custody(*command(bench, body, counted.name, graph='max_seconds="1s"'))
    until(bench.home / "counted" / "asked", "a/1.1")
    time.sleep(1.2)
    told(process, signal.SIGINT)
    counted.let()
    status, reason = resumed(bench)
    assert (status, reason.partition(":")[0]) == ("FAIL", "budget exceeded")
    assert counted.asked() == {"a/1.1": 1}
    holds(bench)


@pytest.mark.req("G-24")
def test_a_back_off_goes_on_where_it_was(bench: Bench) -> None:
    body = (
        'a [prompt="x", max_retries=1, retry_delay="12s", test.outcome_sequence="fail,success"]\n'
        "start -> a -> done"
    )
    process = custody(*command(bench, body))
    until(bench.path("events.jsonl"), "StageRetrying")
    time.sleep(2)
    assert told(process, signal.SIGINT) < 4, "the next attempt is not waited for"
    assert resumed(bench)[0] == "PASS"
    with Root.open(str(bench.path(""))) as root:
        heard = [(epoch(line.ts), line.fact()) for line in read_lines(root)]

    def at(kind: type[AnyFact]) -> float:
        return [when for when, fact in heard if isinstance(fact, kind)][-1]

    (retrying,) = (fact for _, fact in heard if isinstance(fact, StageRetrying))
    first = at(RunInterrupted) - at(StageRetrying)
    again = [when for when, fact in heard if isinstance(fact, StageStarted) and fact.node == "a"]
    assert first > 1.9
    assert first + again[-1] - at(RunResumed) == pytest.approx(retrying.delay, abs=1.5)
    holds(bench)

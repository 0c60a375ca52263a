"""Trying again."""

from __future__ import annotations

import pytest

from custody.engine.retry import MAX_DELAY, delay, may_retry, settle
from custody.handlers import catalog
from custody.model.event import StageCompleted, StageFailed, StageRetrying
from custody.model.graph import Node
from custody.model.outcome import Outcome
from custody.model.verdict import Verdict
from custody.pipeline.read import load_pipeline
from support.bench import Bench

CHAIN = "start -> a -> done"


def node(attributes: str) -> Node:
    source = (
        "digraph p { start [shape=Mdiamond]; done [shape=Msquare]; "
        f'a [prompt="x", {attributes}]; start -> a -> done }}'
    )
    return load_pipeline(source.encode(), catalog(), where="p.dot").nodes["a"]


@pytest.mark.req("P-10")
@pytest.mark.parametrize("retries", [0, 1, 3])
def test_n_retries_are_n_plus_one_attempts(bench: Bench, retries: int) -> None:
    bench.run(
        f'a [prompt="x", test.outcome="fail", max_retries={retries}, retry_delay="0s"]\n{CHAIN}'
    )
    folders = sorted(path.name for path in bench.path("nodes/a").iterdir())
    assert folders == [f"1.{attempt}" for attempt in range(1, retries + 2)]
    assert all(bench.path(f"nodes/a/{name}/response.md").exists() for name in folders)
    assert sum(isinstance(fact, StageRetrying) for fact in bench.facts()) == retries


@pytest.mark.req("P-10")
def test_used_up_attempts_fail_with_their_reason(bench: Bench) -> None:
    bench.run(f'a [prompt="x", test.outcome="retry", max_retries=1, retry_delay="0s"]\n{CHAIN}')
    failed = next(fact for fact in bench.facts() if isinstance(fact, StageFailed))
    assert failed.outcome.failure_reason == "retry_exhausted"
    assert failed.attempt == 2


@pytest.mark.req("P-10")
def test_allow_partial_makes_it_partial_success(bench: Bench) -> None:
    result = bench.run(
        'a [prompt="x", test.outcome="fail", max_retries=1, retry_delay="0s", allow_partial=true]\n'
        + CHAIN
    )
    ended = next(f for f in bench.facts() if isinstance(f, StageCompleted) and f.node == "a")
    assert ended.outcome.status == "partial_success"
    assert result.summary.status == "PASS"


@pytest.mark.req("P-10")
def test_an_attempt_that_succeeds_ends_the_retries(bench: Bench) -> None:
    result = bench.run(
        'a [prompt="x", test.outcome_sequence="fail,retry,success", max_retries=5, '
        f'retry_delay="0s"]\n{CHAIN}'
    )
    assert result.summary.status == "PASS"
    assert result.summary.stages[1].attempts == 3


def test_a_refusal_is_never_retried(bench: Bench) -> None:
    bench.run(
        'a [type=tool, tool_command="touch outside.txt", allowed_write_paths="src/", '
        f'max_retries=3, retry_delay="0s"]\n{CHAIN}'
    )
    assert not any(isinstance(fact, StageRetrying) for fact in bench.facts())


def test_delays_are_bounded_and_the_same_every_time() -> None:
    patient = node('retry_delay="1s"')
    delays = [delay("run", patient, attempt) for attempt in range(1, 30)]
    assert delays == [delay("run", patient, attempt) for attempt in range(1, 30)]
    assert all(0 < pause <= MAX_DELAY for pause in delays)
    assert delays != [delay("other", patient, attempt) for attempt in range(1, 30)]
    assert delay("run", node('retry_delay="0s"'), 3) == 0


def test_a_refusal_is_neither_tried_again_nor_a_part_of_a_success() -> None:
    why = Verdict(check="writes", allowed=False, code="not_allowed", reason="no", subject="x")
    refused = Outcome(status="fail", failure_reason="no", refused=(why,))
    lenient = node("allow_partial=true, max_retries=3")
    assert not may_retry(lenient, 1, refused)
    assert settle(lenient, 1, refused) == refused
    failed = Outcome(status="fail", failure_reason="no")
    assert may_retry(lenient, 1, failed)
    assert settle(lenient, 4, failed).status == "partial_success"

"""Looking at a run writes nothing and locks nothing, whatever state it is in."""

from __future__ import annotations

import pytest

from custody import api
from custody.engine import queries
from custody.errors import RunNotFound, UsageError
from custody.model.event import StageStarted
from custody.store.rundir import RunDirectory
from support.bench import Bench
from support.ending import ends_before
from support.hostile import picture

BODY = 'a [prompt="x", max_retries=1, retry_delay="0s"] start -> a -> done'


def where(bench: Bench) -> str:
    return str(bench.path(""))


def test_an_overview_is_the_summary(bench: Bench) -> None:
    result = bench.run(BODY)
    before = picture(bench.path(""))
    assert queries.overview(where(bench)) == result
    assert picture(bench.path("")) == before


def test_a_run_that_waits_says_for_what(bench: Bench) -> None:
    bench.run(BODY, agent="outbox")
    found = queries.overview(where(bench))
    assert (found.summary.status, found.waiting) == ("RUNNING", "a/1.1")


def test_a_run_that_another_process_writes_can_be_looked_at(bench: Bench) -> None:
    bench.run(BODY)
    with RunDirectory.open(where(bench), write=True):
        assert queries.overview(where(bench)).summary.status == "PASS"
        assert list(queries.events(where(bench), following=False))


def test_everything_about_one_attempt(bench: Bench) -> None:
    bench.run(BODY)
    shown = queries.account(where(bench), "a", "")
    assert (shown.shown.number, len(shown.attempts)) == ("1.1", 1)
    assert shown.texts["prompt.md"].startswith("x")
    assert shown.unreadable == {}
    assert queries.account(where(bench), "a", "1.1") == shown


@pytest.mark.parametrize(
    ("node", "attempt", "what"),
    [("nowhere", "", "run r1 has no stage 'nowhere'"), ("a", "7.1", "'a' had no attempt '7.1'")],
)
def test_what_is_not_there(bench: Bench, node: str, attempt: str, what: str) -> None:
    bench.run(BODY)
    with pytest.raises(UsageError, match=what) as refused:
        queries.account(where(bench), node, attempt)
    assert refused.value.hint


def test_the_events_are_the_journal(bench: Bench) -> None:
    bench.run(BODY)
    told = [line.event for line in queries.events(where(bench), following=False)]
    assert told == [type(fact).__name__ for fact in bench.facts()]
    assert [line.event for line in queries.events(where(bench), following=True)] == told


def test_half_a_last_line_is_left_out(bench: Bench) -> None:
    bench.run(BODY)
    journal = bench.path("events.jsonl")
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-5])
    told = list(queries.events(where(bench), following=False))
    assert len(told) == whole.count(b"\n") - 1


def test_changes_of_a_node_that_never_ran(bench: Bench) -> None:
    bench.run(BODY)
    assert list(queries.changes(where(bench), "")) == []
    assert list(queries.changes(where(bench), "a")) == []
    with pytest.raises(UsageError, match="no stage 'nowhere'"):
        list(queries.changes(where(bench), "nowhere"))


def test_no_run(bench: Bench) -> None:
    with pytest.raises(RunNotFound):
        queries.overview(where(bench))


@pytest.mark.req("G-27")
def test_following_ends_when_nobody_writes_any_more(bench: Bench) -> None:
    with ends_before(StageStarted, "b"):
        bench.run('a [prompt="x"]\nb [prompt="x"]\nstart -> a -> b -> done')
    followed = list(api.events("r1", runsdir=str(bench.runsdir), follow=True))
    assert [line.event for line in followed] == [type(fact).__name__ for fact in bench.facts()]


@pytest.mark.req("U-11")
def test_what_a_run_has_cost(bench: Bench) -> None:
    ended = bench.run(BODY)
    cost = queries.cost(where(bench), ended=True)
    assert (cost.active_seconds, cost.usage) == (ended.summary.active_seconds, ended.summary.usage)
    assert queries.cost(where(bench), ended=False) == cost, "the journal tells the same"


def test_of_a_run_that_cannot_be_read_nothing_is_known(bench: Bench) -> None:
    bench.run(BODY)
    bench.path("summary.json").write_text("{")
    assert queries.cost(where(bench), ended=True) == queries.RunCost()
    bench.path("events.jsonl").write_text("")
    assert queries.cost(where(bench), ended=False) == queries.RunCost()

"""What a history knows is what the journal says, and it is little."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import JournalBroken
from custody.model.event import (
    AnyFact,
    GuardrailViolation,
    Heard,
    PipelineCompleted,
    PipelineStarted,
    RequestAnswered,
    RouteChosen,
    StageCompleted,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.journal_version import VERSIONS
from custody.model.layout import EVENTS
from custody.model.outcome import Outcome
from custody.model.process_event import PipelineReplaced, RunResumed, RunWaiting
from custody.model.request import Ack, AgentRequest, Spent, Usage
from custody.store.history import History
from custody.store.journal import Journal, read_lines
from custody.store.rundir import RunDirectory
from support.facts import sample

RUN_ID = "run_1"
STARTED = sample(PipelineStarted, pipeline_sha256="1" * 64)


def request(node: str, attempt: int = 1, text: str = "x") -> AgentRequest:
    prompt = Evidence.of_text(f"nodes/{node}/1.{attempt}/prompt.md", text)
    return AgentRequest(id=f"{node}/1.{attempt}", timeout=1, agent="fake", prompt=prompt, call=1)


def started(node: str, attempt: int = 1) -> StageStarted:
    asked = request(node, attempt)
    return StageStarted(node=node, type="codergen", visit=1, attempt=attempt, request=asked)


def answered(node: str, attempt: int = 1, *, document: str = "", **ack: Any) -> RequestAnswered:
    evidence = (Evidence.of_text(document, f"{node} {attempt}"),) if document else ()
    answer = Ack(request_id=f"{node}/1.{attempt}", status="ok", evidence=evidence, **ack)
    diff = Evidence.of_text(f"nodes/{node}/1.{attempt}/workspace.diff.json", '{"changes":[]}')
    return RequestAnswered(node=node, ack=answer, diff=diff)


def completed(node: str) -> StageCompleted:
    outcome = Outcome(status="success")
    return StageCompleted(node=node, visit=1, attempt=1, outcome=outcome)


def replaced(kept: int, **fields: Any) -> PipelineReplaced:
    new = "2" * 64
    return PipelineReplaced(old_sha256="", new_sha256=new, kept_seq=kept, reused=(), **fields)


def write(run: RunDirectory, *facts: AnyFact) -> Journal:
    """Write a journal of these facts, after the first."""
    journal = Journal.create(run.root, RUN_ID)
    for fact in (STARTED, *facts):
        journal.append(fact, role="engine", path="")
    journal.commit()
    journal.close()
    return journal


def history_of(run: RunDirectory, *facts: AnyFact) -> History:
    write(run, *facts)
    return History.read(run)


def said(lines: Iterator[Heard]) -> list[AnyFact]:
    return [fact for _, fact in lines]


def test_lines_are_read_again_where_they_were(run: RunDirectory) -> None:
    facts: list[AnyFact] = [started("a"), answered("a"), completed("a"), started("b")]
    journal = write(run, *facts)
    history = History.read(run)
    assert said(history.lines()) == [STARTED, *facts]
    assert said(history.lines(1, 2)) == facts[:2]
    assert said(history.lines(4)) == facts[3:]
    assert said(history.lines_of("a")) == facts[:3]
    assert said(history.lines_of("x")) == []
    assert said(history.lines_before(3)) == [facts[1], facts[0], STARTED]
    assert history.position == journal.position
    assert [line for line, _ in history.lines()] == list(read_lines(run.root))


def test_what_is_noted_is_what_is_read(run: RunDirectory) -> None:
    journal, noted = Journal.create(run.root, RUN_ID), History(run)
    for fact in (STARTED, started("a"), answered("a", document="docs/a.md")):
        noted.note(journal.append(fact, role="engine", path=""), fact)
    journal.commit()
    read = History.read(run)
    assert noted.position == read.position == journal.position
    assert said(noted.lines()) == said(read.lines())
    assert noted.documents() == read.documents()


def test_a_journal_that_changed_since_is_refused(run: RunDirectory) -> None:
    history = history_of(run, started("a"), started("b"))
    data = run.root.read(EVENTS)
    run.root.write(EVENTS, data.replace(b'"node":"b"', b'"node":"c"'))
    with pytest.raises(JournalBroken, match="has changed since") as broken:
        list(history.lines())
    assert broken.value.where.endswith(":3")
    run.root.write(EVENTS, data[: len(data) // 2])
    with pytest.raises(JournalBroken, match="has changed since"):
        list(history.lines())


def test_lines_that_are_added_meanwhile_are_no_matter(run: RunDirectory) -> None:
    history = history_of(run, started("a"))
    run.root.write(EVENTS, run.root.read(EVENTS) + b'{"half')
    assert said(history.lines()) == [STARTED, started("a")]


def test_there_must_be_a_beginning(run: RunDirectory) -> None:
    run.root.write(EVENTS, b"{")
    with pytest.raises(JournalBroken, match="PipelineStarted"):
        _ = History.read(run).genesis


def test_the_version_is_that_of_the_lines(run: RunDirectory) -> None:
    journal = Journal.create(run.root, RUN_ID, version=VERSIONS["1.0"])
    journal.append(STARTED, role="engine", path="")
    journal.commit()
    assert not History.read(run).version.verdicts_recorded


class TestReplacedPipelines:
    def test_lines_that_no_longer_count(self, run: RunDirectory) -> None:
        a, b, c = started("a"), started("b"), started("c")
        ended, change = completed("a"), replaced(2)
        history = history_of(run, a, ended, b, change, c)
        assert said(history.lines()) == [STARTED, a, ended, change, c]
        assert not history.knows("b")
        assert history.pipeline_sha256 == "2" * 64
        assert history.pipelines == {"1" * 64, "2" * 64}

    def test_what_was_lost_stays_spent(self, run: RunDirectory) -> None:
        cost = Usage(cost_usd=2.0)
        before = {"x": Spent(cost_usd=1.0)}
        history = history_of(
            run,
            started("a"), answered("a", usage=cost), completed("a"),
            started("b"), answered("b", usage=cost), answered("b", usage=cost),
            replaced(6, discarded=before),
        )  # fmt: skip
        assert history.spent_after(3) == {"b": Spent(cost_usd=4.0), **before}
        assert history.spent_after(6) == before

    def test_the_end_of_a_run_may_be_undone(self, run: RunDirectory) -> None:
        end = sample(PipelineCompleted)
        history = history_of(run, started("a"), end)
        assert (history.status, history.beyond_end) == ("PASS", 0)
        run.root.remove(EVENTS)
        history = history_of(run, started("a"), end, RunResumed(), started("b"))
        assert (history.status, history.beyond_end) == ("PASS", 4)
        run.root.remove(EVENTS)
        history = history_of(run, started("a"), end, started("b"), replaced(1), started("b"))
        assert (history.status, history.beyond_end) == ("RUNNING", 0)


class TestWhatIsAsked:
    def test_a_run_waits_until_it_is_answered(self, run: RunDirectory) -> None:
        waits = RunWaiting(node="a", request_id="a/1.1", path="outbox/1.md", answer="inbox/1.md")
        history = history_of(run, started("a"), waits, RunResumed())
        assert history.waiting is not None
        assert history.waiting[1] == waits
        assert history.letters == {"outbox/1.md", "inbox/1.md"}
        for end in (answered("a"), replaced(0)):
            run.root.remove(EVENTS)
            history = history_of(run, started("a"), waits, end)
            assert history.waiting is None
            assert history.letters == {"outbox/1.md", "inbox/1.md"}

    def test_open_requests(self, run: RunDirectory) -> None:
        history = history_of(
            run,
            started("a"), started("b"), sample(StageStarted, node="c", request=None),
            answered("a"), completed("a"), answered("b"), started("b", 2), replaced(5),
        )  # fmt: skip
        assert history.open_requests() == [request("b")]

    def test_the_last_visit(self, run: RunDirectory) -> None:
        history = history_of(
            run,
            started("a"), started("a", 2), sample(RouteChosen, node="a"),
            started("a"), started("a", 2), started("b"),
        )  # fmt: skip
        assert [history.last_visit(node) for node in "abx"] == [4, 6, None]

    def test_documents_as_they_were_written_last(self, run: RunDirectory) -> None:
        first, second = answered("a", document="docs/a.md"), answered("b", document="docs/a.md")
        history = history_of(run, first, second, answered("c", document="audits/c.md"))
        assert {path: item.text for path, item in history.documents().items()} == {
            "docs/a.md": "b 1",
            "audits/c.md": "c 1",
        }
        run.root.remove(EVENTS)
        history = history_of(run, first, second, answered("c", document="audits/c.md"), replaced(1))
        assert {path: item.text for path, item in history.documents().items()} == {
            "docs/a.md": "a 1"
        }

    def test_layers_of_refused_requests(self, run: RunDirectory) -> None:
        layer = '{"changes":[],"layer":{"sha256":"%s","entries":3}}' % ("a" * 64)
        diff = Evidence.of_text("nodes/b/1.1/workspace.diff.json", layer)
        refused = sample(RequestAnswered, node="b", ack=answered("b").ack, diff=diff)
        history = history_of(
            run,
            started("a"), answered("a"), completed("a"),
            started("b"), refused, sample(GuardrailViolation, node="b"),
            started("c"),
        )  # fmt: skip
        layers = history.layers(["a/1.1", "b/1.1", "c/1.1", "x/1.1"])
        assert layers.keys() == {"a/1.1", "b/1.1"}
        assert layers["a/1.1"] is None
        assert layers["b/1.1"] is not None
        assert layers["b/1.1"].entries == 3


def test_how_far_a_journal_reaches(run: RunDirectory) -> None:
    history = history_of(run, started("a"), started("b"))
    assert history.reaches(history.digest(1))
    assert history.reaches(history.digest(1), 2)
    assert not history.reaches(history.digest(1), 3)
    assert not history.reaches(history.digest(1), 0)
    assert not history.reaches(history.digest(2), 4)
    assert not history.reaches("0" * 64)


@given(st.lists(st.sampled_from("abc"), max_size=12))
def test_the_lines_of_each_node(tmp_path_factory: pytest.TempPathFactory, nodes: list[str]) -> None:
    with RunDirectory.create(str(tmp_path_factory.mktemp("runs")), RUN_ID) as run:
        facts = [started(node) for node in nodes]
        history = history_of(run, *facts)
        for node in "abc":
            assert said(history.lines_of(node)) == [fact for fact in facts if fact.node == node]


def test_a_line_takes_little_memory(run: RunDirectory) -> None:
    """Texts of acks are not kept: what is held of a line does not depend on what it says."""
    journal = Journal.create(run.root, RUN_ID)
    journal.append(STARTED, role="engine", path="")
    for number in range(1000):
        node = f"node_{number}"
        for fact in (started(node), answered(node, notes="n" * 4000), completed(node)):
            journal.append(fact, role="engine", path="")
    journal.commit()
    journal.close()
    tracemalloc.start()
    history = History.read(run)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert history.count == 3001
    assert held / history.count < 200

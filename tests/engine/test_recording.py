"""Recorded facts first, then new ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.engine.recording import Recording, RecordingEnded
from custody.errors import ReplayDiverged
from custody.model.event import (
    AnyFact,
    Heard,
    PipelineStarted,
    Position,
    RequestAnswered,
    RouteChosen,
    StageStarted,
)
from custody.model.journal_version import CURRENT
from custody.model.process_event import AgentReplaced, RunResumed
from custody.model.request import Ack
from custody.store.journal import Journal
from custody.store.root import Root
from support.facts import line_of, sample

STARTED = sample(PipelineStarted)
STAGE = sample(StageStarted, node="a")
ROUTE = sample(RouteChosen, node="a")
ANSWER = sample(RequestAnswered, ack=Ack(request_id="a/1.1", status="ok"))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Root.open(str(tmp_path)) as root:
        journal = Journal.create(root, "r1")
        yield journal
        journal.close()


def lines(*facts: AnyFact) -> list[Heard]:
    return [(line_of(fact, seq), fact) for seq, fact in enumerate(facts)]


def played(*facts: AnyFact, journal: Journal | None = None) -> Recording:
    recording = Recording(lines(*facts), journal, version=CURRENT)
    recording.rewind(lambda _fact: None)
    return recording


def test_recorded_facts_must_be_come_to_in_their_order() -> None:
    recording = played(STARTED, STAGE)
    recording.record(STARTED)
    with pytest.raises(ReplayDiverged, match=r"StageStarted .* but .* RouteChosen"):
        recording.record(ROUTE)
    assert (recording.played, recording.agreed_seq) == (1, 0)


def test_agreement_is_counted_where_no_stage_is_under_way() -> None:
    recording = played(STARTED, STAGE, ROUTE, STAGE)
    for fact in (STARTED, STAGE, ROUTE, STAGE):
        recording.record(fact)
    assert (recording.played, recording.agreed_seq) == (4, 2)


def test_several_facts_are_played_as_far_as_they_are_recorded(journal: Journal) -> None:
    recording = played(STARTED, STAGE, journal=journal)
    recording.record(STARTED, STAGE, ROUTE, STAGE)
    assert (recording.played, recording.live, journal.count) == (2, True, 2)
    with pytest.raises(ReplayDiverged, match="lead to RouteChosen"):
        played(STARTED, STAGE).record(STARTED, ROUTE)


def test_an_answer_is_taken_from_the_record() -> None:
    recording = played(ANSWER, ROUTE)
    assert recording.answer("a/1.1") == ANSWER
    with pytest.raises(ReplayDiverged, match=r"RouteChosen where an answer to b/1\.1 is due"):
        recording.answer("b/1.1")


def test_what_is_no_decision_is_passed_over_and_told() -> None:
    told: list[AnyFact] = []
    recording = Recording(
        lines(STARTED, RunResumed(), AgentReplaced(agent="x"), STAGE), None, version=CURRENT
    )
    recording.rewind(told.append)
    recording.record(STARTED)
    recording.record(STAGE)
    assert told == [RunResumed(), AgentReplaced(agent="x")]


def test_a_replay_ends_where_the_record_does() -> None:
    recording = played(STARTED)
    recording.record(STARTED)
    with pytest.raises(RecordingEnded):
        recording.record(STAGE)
    with pytest.raises(RecordingEnded):
        recording.answer("a/1.1")
    assert not recording.live


def test_it_goes_live_once_and_before_the_first_new_fact(journal: Journal) -> None:
    heard: list[AnyFact] = []
    reached: list[Position] = []

    def go_live(recording: Recording) -> None:
        assert recording.live
        recording.write(RunResumed())

    recording = Recording(
        lines(STARTED),
        journal,
        version=CURRENT,
        go_live=go_live,
        listeners=(lambda _line, fact: heard.append(fact),),
        committed=reached.append,
    )
    recording.rewind(lambda _fact: None)
    recording.record(STARTED)
    assert not recording.live
    assert recording.answer("a/1.1") is None
    recording.record(STAGE, ROUTE)
    assert heard == []
    recording.commit()
    assert heard == [RunResumed(), STAGE, ROUTE]
    assert reached == [journal.position]
    recording.commit()
    assert len(reached) == 1


def test_a_run_that_had_ended_goes_on_with_nothing(journal: Journal) -> None:
    recording = played(STARTED, ROUTE, journal=journal)
    recording.record(STARTED)
    with pytest.raises(ReplayDiverged, match="goes on with RouteChosen"):
        recording.expect_end()
    recording.record(ROUTE)
    recording.expect_end()
    assert journal.count == 0

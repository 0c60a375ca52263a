"""What a run claims is gathered in little memory, and nothing is forgotten in silence."""

from __future__ import annotations

from collections.abc import Iterable

from custody.model.change import Change, Entry
from custody.model.event import (
    AnyFact,
    GateFailed,
    GatePassed,
    PipelineStarted,
    RequestAnswered,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.outcome import Outcome, Route
from custody.model.request import Ack, AgentRequest
from custody.model.verdict import Verdict
from custody.views.claims import MOST, Claims
from support.facts import line_of, sample

ADDED = Change(path="new", change="added", after=Entry(path="new", kind="file", mode=0o644))
DIFF = Evidence.of_text("nodes/a/1.1/workspace.diff.json", "{}")
NOTE = Evidence.of_text("docs/note.md", "noted\n")
DONE, BROKEN = Outcome(status="success"), Outcome(status="fail", failure_reason="it broke")
REFUSED = Outcome(
    status="fail", refused=(Verdict(check="writes", allowed=False, code="x", reason="y"),)
)


def gathered(*facts: AnyFact, changes: tuple[Change, ...] = ()) -> Claims:
    claims = Claims()
    for seq, fact in enumerate([sample(PipelineStarted, pipeline="p"), *facts]):
        claims.add(line_of(fact, seq), fact, changes if isinstance(fact, RequestAnswered) else ())
    return claims


def stage(
    *gates: GatePassed | GateFailed, visit: int = 1, outcome: Outcome = DONE
) -> Iterable[AnyFact]:
    yield StageStarted(node="a", type="tool", visit=visit, attempt=1)
    ack = Ack(request_id=f"a/{visit}.1", status="ok", evidence=(NOTE,))
    yield RequestAnswered(node="a", ack=ack, diff=DIFF)
    yield from gates
    kind = StageCompleted if outcome.status == "success" else StageFailed
    yield kind(node="a", visit=visit, attempt=1, outcome=outcome)
    yield sample(RouteChosen, node="a", route=sample(Route, target="b"))


def passed(visit: int = 1) -> GatePassed:
    return GatePassed(node="a", visit=visit, attempt=1, gate="writes")


FAILED = GateFailed(
    node="a", visit=1, attempt=1, gate="exit_code", effect="fail", reason="no", verdicts=()
)


def test_each_verdict_is_a_claim_with_all_that_led_to_it() -> None:
    claims = gathered(*stage(passed(), FAILED, outcome=BROKEN))
    (held,), (good,) = claims.failed, claims.passed
    assert (held.fact, good.fact) == (FAILED, passed())
    assert held.about is good.about
    assert [type(fact).__name__ for _, fact in held.about.told] == [
        "StageStarted", "RequestAnswered", "GatePassed", "GateFailed", "StageFailed", "RouteChosen",
    ]  # fmt: skip
    assert [seq for seq, _ in held.about.told] == [1, 2, 3, 4, 5, 6]
    assert held.about.returned == (NOTE, DIFF)
    assert claims.counted == {"failed": 1, "passed": 1}


def test_a_stage_that_fails_without_a_gate_is_one_too() -> None:
    (held,) = gathered(*stage(passed(), outcome=BROKEN)).failed
    assert isinstance(held.fact, StageFailed)


def test_an_attempt_that_is_tried_again_is_not_forgotten() -> None:
    claims = gathered(
        StageStarted(node="a", type="tool", visit=1, attempt=1),
        StageRetrying(node="a", visit=1, attempt=1, outcome=BROKEN, delay=0),
        StageStarted(node="a", type="tool", visit=1, attempt=2),
        StageCompleted(node="a", visit=1, attempt=2, outcome=DONE),
    )
    assert [held.about.name for held in claims.failed] == ["a/1.1"]


def test_a_long_run_holds_the_last_ones_and_counts_all() -> None:
    visits = range(1, 3 * MOST)
    claims = gathered(*(fact for visit in visits for fact in stage(passed(visit), visit=visit)))
    assert [held.about.number for held in claims.passed] == [f"{n}.1" for n in visits][-MOST:]
    assert claims.counted["passed"] == len(visits)
    assert claims._at_work == {}, "what has ended is held by its claims alone"


def test_what_was_refused_has_made_nothing() -> None:
    kept = gathered(*stage(), changes=(ADDED,))
    assert kept.made_by["workspace/new"][1] == "a/1.1"
    assert kept.made_by["docs/note.md"][1] == "a"
    assert "workspace/new" not in gathered(*stage(outcome=REFUSED), changes=(ADDED,)).made_by


def test_who_stands_in_for_an_agent_is_named() -> None:
    asked = AgentRequest(id="a/1.1", timeout=1, agent="fake:x.json", prompt=NOTE, call=1)
    started = StageStarted(node="a", type="codergen", visit=1, attempt=1, request=asked)
    claims = gathered(started, passed())
    assert [held.about.stand_in for held in claims.passed] == ["fake"]
    assert [held.about.given for held in claims.passed] == [(NOTE,)]

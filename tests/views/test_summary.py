"""The end of a run in one page."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from custody.model.change import Change, Entry
from custody.model.documents import Summary
from custody.model.event import (
    AnyFact,
    PipelineFailed,
    PipelineStarted,
    RequestAnswered,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.outcome import Outcome
from custody.model.record import encode_pretty
from custody.model.request import Ack, AgentRequest
from custody.model.state import State
from custody.views.summary import SHOWN_CHANGES, Summarizer, summary_document, summary_page
from support.facts import line_of, sample

ADDED = Change(path="new", change="added", after=Entry(path="new", kind="file", mode=0o644))
DIFF = Evidence.of_text("x", "")


def answered(node: str, seconds: float) -> RequestAnswered:
    ack = Ack(request_id=f"{node}/1.1", status="ok", seconds=seconds)
    return RequestAnswered(node=node, ack=ack, diff=DIFF)


def summed(*facts: tuple[AnyFact, tuple[Change, ...]]) -> Summary:
    state, summarizer = State(), Summarizer("r1")
    for seq, (fact, changes) in enumerate(facts):
        state.apply(fact)
        summarizer.add(line_of(fact, seq), fact, changes)
    return summarizer.summary(state, "h" * 64)


def as_page(summary: Summary) -> str:
    return b"".join(summary_page(summary)).decode()


def run() -> Summary:
    failure = Outcome(status="fail", failure_reason="tool_exit_code_1")
    return summed(
        (sample(PipelineStarted, pipeline="p", goal="ship it"), ()),
        (StageStarted(node="a", type="tool", visit=1, attempt=1), ()),
        (answered("a", 1.25), (ADDED,)),
        (StageRetrying(node="a", visit=1, attempt=1, outcome=failure, delay=0), ()),
        (StageStarted(node="a", type="tool", visit=1, attempt=2), ()),
        (answered("a", 0.5), ()),
        (StageCompleted(node="a", visit=1, attempt=2, outcome=Outcome(status="success")), ()),
        (StageStarted(node="b", type="tool", visit=1, attempt=1), ()),
        (StageFailed(node="b", visit=1, attempt=1, outcome=failure), ()),
        (PipelineFailed(node="b", reason="unhandled", unhandled={}), ()),
    )


def test_a_visit_is_a_row_and_its_attempts_add_up() -> None:
    made = run()
    assert [row.node for row in made.stages] == ["a", "b"]
    first = made.stages[0]
    assert (first.attempts, first.seconds, first.changed) == (2, 1.75, 1)
    assert first.folder == "nodes/a/1.2"
    assert made.stages[1].failure_reason == "tool_exit_code_1"


def test_how_it_ended() -> None:
    made = run()
    assert (made.status, made.reason, made.events) == ("FAIL", "unhandled", 10)
    assert made.unhandled == {"b": "tool_exit_code_1"}
    assert made.changed == ("new",)
    assert (made.pipeline, made.goal, made.head) == ("p", "ship it", "h" * 64)


def test_as_a_page() -> None:
    page = as_page(run())
    assert page.startswith("# FAIL: p\n\nship it\n\n**Reason:** unhandled\n")
    assert "- **b** failed: tool_exit_code_1\n" in page
    assert "| a | tool | success | 2 | 1.75 | 1 | `nodes/a/1.2` |\n" in page
    assert "## Changed files (1)\n\n- `new`\n" in page


def test_nothing_breaks_the_table() -> None:
    made = run()
    odd = replace(made.stages[0], failure_reason="a|b\nc")
    page = as_page(replace(made, stages=(odd,), goal="", reason=""))
    assert "| success: a\\|b c |" in page


def test_a_long_list_is_cut() -> None:
    paths = tuple(f"f{number}" for number in range(SHOWN_CHANGES + 3))
    page = as_page(replace(run(), changed=paths))
    assert f"## Changed files ({len(paths)})" in page
    assert "- and 3 more\n" in page
    assert f"f{SHOWN_CHANGES}`" not in page


def test_many_rows_come_out_as_they_went_in() -> None:
    """More than are decoded at a time, and with whatever a name and a reason may hold."""
    nodes = [f"n{number}" for number in range(2_000)]
    told: list[tuple[AnyFact, tuple[Change, ...]]] = []
    for node in nodes:
        failure = Outcome(status="fail", failure_reason=f'{node}: "é\u2028"\n')
        told += [
            (StageStarted(node=node, type="tool", visit=1, attempt=1), ()),
            (answered(node, 0.1), (ADDED,)),
            (StageFailed(node=node, visit=1, attempt=1, outcome=failure), ()),
        ]
    made = summed((sample(PipelineStarted), ()), *told)
    assert [row.node for row in made.stages] == nodes
    assert {(row.type, row.outcome, row.seconds, row.changed) for row in made.stages} == {
        ("tool", "fail", 0.1, 1)
    }
    assert made.stages[-1].failure_reason == 'n1999: "é\u2028"\n'
    assert made.stages[-1].folder == "nodes/n1999/1.1"


@pytest.mark.parametrize("count", [0, 1, 2, 199, 200, 201, 650])
def test_the_document_in_pieces_is_the_one_that_would_be_written_at_once(count: int) -> None:
    made = run()
    odd = replace(made.stages[0], failure_reason='"stages": []\n\u2028é')
    many = replace(made, goal='"stages": []', stages=(odd,) * count)
    assert b"".join(summary_document(many)) == encode_pretty(many)


def test_no_piece_grows_with_the_run() -> None:
    made = run()
    many = replace(made, stages=made.stages[:1] * 5_000)
    assert max(map(len, summary_document(many))) < len(encode_pretty(many)) / 10
    assert max(map(len, summary_page(many))) < len(as_page(many)) / 10


def asked(node: str, agent: str) -> StageStarted:
    request = AgentRequest(id=f"{node}/1.1", agent=agent, prompt=DIFF, call=1, timeout=1.0)
    return StageStarted(node=node, type="codergen", visit=1, attempt=1, request=request)


def test_who_stood_in_is_told_of_stages_that_ended_and_of_those_under_way() -> None:
    done = Outcome(status="success")
    made = summed(
        (sample(PipelineStarted), ()),
        (asked("b", "stub"), ()),
        (answered("b", 0.1), ()),
        (StageCompleted(node="b", visit=1, attempt=1, outcome=done), ()),
        (asked("a", "fake:answers.json"), ()),
        (answered("a", 0.1), ()),
        (asked("a", "stub"), ()),  # the visit was set aside, and begins again
        (answered("a", 0.1), ()),
        (asked("c", "stub"), ()),  # nobody has answered yet
    )
    assert made.stand_ins == {"fake": ("a",), "stub": ("a", "b")}

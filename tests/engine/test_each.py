"""A pipeline of its own for every item of a list, in one journal."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from custody import api
from custody.errors import PipelineChanged
from custody.model.event import (
    AnyFact,
    GuardrailViolation,
    PipelineStarted,
    RequestAnswered,
    StageCompleted,
    StageFailed,
    StageStarted,
)
from custody.model.process_event import PipelineReplaced
from custody.model.record import encode
from support.bench import Bench
from support.lists import OVER_RANGE, PART, holds, over_list, over_range, part
from support.sweep import Sweep, examples
from support.trees import remove

FAILING = PART.replace(
    "draft [type=agent_task,", 'draft [type=agent_task, test.outcome_sequence="{outcomes}",'
)
ODD = [
    *("", "..", "../../x", "/etc/passwd", "a/b", "${goal}", "$goal", "$$", "}", "a\nb", "\0"),
    *(
        "\ud800",
        "CON",
        ".git",
        "docs",
        "-rf",
        "~",
        "C:x",
        "a\\b",
        "\uff58\uff0e\uff0e",
        "é",
        "e\u0301",
    ),
]


def decisions(facts: list[AnyFact]) -> list[str]:
    """Return what was decided, without clocks."""
    return [
        f"{type(fact).__name__} {encode(fact).decode()}"
        for fact in facts
        if fact.traits.decision and not isinstance(fact, RequestAnswered | PipelineStarted)
    ]


def ended(bench: Bench, node: str) -> StageCompleted | StageFailed:
    found = [
        fact
        for fact in bench.facts()
        if isinstance(fact, StageCompleted | StageFailed) and fact.node == node
    ]
    return found[-1]


@pytest.mark.req("I-02")
@pytest.mark.parametrize("more", ["", ", max_parallel=2", ", max_parallel=8"])
def test_every_item_goes_through_the_part(bench: Bench, more: str) -> None:
    part(bench)
    assert over_range(bench, more).summary.status == "PASS"
    for index in (1, 2, 3):
        prompt = bench.path(f"nodes/tasks.{index}.draft/1.1/prompt.md").read_text()
        assert prompt == f"Write {index} ({index} of 3) for ship it\n"
        assert bench.path(f"audits/{index}.md").exists()
        assert bench.path(f"nodes/tasks.{index}.audit/1.1/prompt.md").read_text() == (
            "Audit: Done.\n"
        )
    holds(bench)


def test_one_after_the_other_is_the_default(bench: Bench) -> None:
    part(bench)
    over_range(bench)
    asked = [f.node for f in bench.facts() if isinstance(f, StageStarted) and f.request]
    assert asked == [f"tasks.{i}.{node}" for i in (1, 2, 3) for node in ("draft", "audit")]


def test_some_at_a_time_are_recorded_round_by_round(bench: Bench) -> None:
    part(bench)
    over_range(bench, ", max_parallel=2")
    answered = [f.node for f in bench.facts() if isinstance(f, RequestAnswered)]
    assert answered == [
        *("tasks.1.draft", "tasks.2.draft", "tasks.1.audit", "tasks.2.audit"),
        *("tasks.3.draft", "tasks.3.audit"),
    ]


def test_results_are_in_the_order_of_the_items(bench: Bench) -> None:
    part(bench, PART.replace("output_path=", "response_context=said, output_path=", 1))
    book = bench.home / "said.json"
    book.write_text(json.dumps({"answers": [{"text": '```json\n{"n": 1}\n```\n'}]}))
    over_range(bench, ", max_parallel=2", agent=f"fake:{book}")
    context = ended(bench, "tasks").outcome.context_updates
    one = {"outcome": "success", "reason": "", "context": {"said": {"n": 1}}}
    assert context == {"tasks.results": [one] * 3}


@pytest.mark.parametrize(
    ("more", "status", "outcome"),
    [("", "FAIL", "fail"), (", allow_partial=true", "PASS", "partial_success")],
)
def test_a_failed_item_fails_the_stage(bench: Bench, more: str, status: str, outcome: str) -> None:
    bad = 'bad [shape=Msquare, status=fail]\ndraft -> bad [condition="outcome=fail"]\n'
    part(
        bench,
        FAILING.replace("{outcomes}", "fail").replace("start -> draft", f"{bad}start -> draft"),
    )
    result = over_range(bench, more)
    assert result.summary.status == status
    stage = next(row for row in result.summary.stages if row.node == "tasks")
    assert stage.outcome == outcome
    assert stage.failure_reason.startswith("3 of 3 items failed: item 1: reached exit tasks.1.bad")
    holds(bench)


def test_a_failure_that_nobody_handles_fails_the_item(bench: Bench) -> None:
    part(bench, FAILING.replace("{outcomes}", "fail"))
    result = over_range(bench)
    assert result.summary.unhandled.keys() == {"tasks"}
    assert "item 2: a failed stage was never handled" in result.summary.unhandled["tasks"]
    holds(bench)


def test_failures_of_an_item_are_no_business_of_another(bench: Bench) -> None:
    loop = FAILING.replace("{outcomes}", "fail,success").replace(
        "start -> draft", 'draft -> draft [condition="outcome=fail"]\nstart -> draft'
    )
    part(bench, loop)
    assert over_range(bench, ", max_parallel=3").summary.status == "PASS"
    for index in (1, 2, 3):
        first = bench.path(f"nodes/tasks.{index}.draft/1.1/prompt.md").read_text()
        assert "What failed last time" not in first
    holds(bench)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("text", "context.list is no list"),
        ({"a": 1}, "context.list is no list"),
        (list(range(1001)), "1001 items are too many: 1000 is most"),
    ],
)
def test_what_is_no_list_fails_with_a_reason(bench: Bench, value: Any, reason: str) -> None:
    part(bench)
    result = over_list(bench, value)
    assert result.summary.unhandled == {"tasks": reason}
    holds(bench)


def test_a_key_that_nobody_set_fails_with_a_reason(bench: Bench) -> None:
    part(bench)
    body = OVER_RANGE.format(more="").replace("1..3", "context.plan.tasks")
    result = bench.run(body)
    assert result.summary.unhandled == {
        "tasks": "nothing in the context is called 'context.plan.tasks'"
    }


@pytest.mark.parametrize("items", ["1..0", "1..${n}"])
def test_an_empty_list_succeeds_at_once(bench: Bench, items: str) -> None:
    part(bench)
    result = bench.run(OVER_RANGE.format(more="").replace("1..3", items), graph='var.n="0"')
    assert result.summary.status == "PASS"
    assert ended(bench, "tasks").outcome.context_updates == {"tasks.results": []}


def test_fields_of_an_item_are_names(bench: Bench) -> None:
    part(bench, PART.replace("Write ${item}", "Write ${item.title}: ${item.tags} in ${item}"))
    over_list(bench, [{"title": "one", "tags": ["a", 1]}])
    assert (
        bench.path("nodes/tasks.1.draft/1.1/prompt.md")
        .read_text()
        .startswith('Write one: ["a",1] in {"title":"one","tags":["a",1]} (1 of 1)')
    )


def test_a_field_that_an_item_lacks_fails_the_item_alone(bench: Bench) -> None:
    part(bench, PART.replace("Write ${item}", "Write ${item.title}"))
    result = over_list(bench, [{"title": "one"}, {"name": "two"}, {"title": "three"}])
    assert result.summary.unhandled == {
        "tasks": "1 of 3 items failed: item 2: a failed stage was never handled"
    }
    assert bench.path("docs/3.md").exists()
    holds(bench)


def test_values_of_the_run_come_before_defaults_of_the_part(bench: Bench) -> None:
    part(
        bench,
        PART.replace("start [", 'graph [var.tone="dry", var.size="short"]\nstart [', 1).replace(
            "Write ${item}", "Write ${tone} ${size}"
        ),
    )
    over_range(bench, graph='var.tone="warm"')
    prompt = bench.path("nodes/tasks.1.draft/1.1/prompt.md").read_text()
    assert prompt.startswith("Write warm short (1 of 3)")


OUTER = """digraph chapter {
    start [shape=Mdiamond]
    pages [type=each, pipeline="deep/task.dot", items="1..2", max_parallel=2]
    done [shape=Msquare]
    start -> pages -> done
}
"""
DEEP = PART.replace("docs/${index}.md", "docs/${run_id}/${index}.md").replace(
    "audits/", "audits/${run_id}/"
)


@pytest.mark.parametrize("more", ["", ", max_parallel=3"])
def test_lists_inside_lists(bench: Bench, more: str) -> None:
    part(bench, OUTER)
    part(bench, DEEP, name="deep/task.dot")
    assert over_range(bench, more).summary.status == "PASS"
    assert bench.path("nodes/tasks.3.pages.2.audit/1.1/prompt.md").exists()
    results = ended(bench, "tasks").outcome.context_updates["tasks.results"]
    assert list(results[0]["context"]) == ["pages.results"]
    holds(bench)


def test_limits_count_over_all_items(bench: Bench) -> None:
    part(bench)
    result = over_range(bench, graph="max_steps=7")
    assert result.summary.reason == "max_steps exceeded: 7"
    assert "item 3: max_steps exceeded: 7" in result.summary.unhandled["tasks"]
    holds(bench)


def test_limits_of_the_part_are_those_of_an_item(bench: Bench) -> None:
    part(bench, PART.replace("start [", "graph [max_steps=3]\nstart [", 1))
    result = over_range(bench)
    assert result.summary.unhandled["tasks"].count("max_steps exceeded: 3") == 3


@pytest.mark.parametrize("more", ["", ", max_parallel=2"])
def test_a_run_that_is_cut_anywhere_goes_on_to_the_same_end(
    bench: Bench, more: str, sweep: Sweep
) -> None:
    part(bench)
    over_range(bench, more)
    whole = bench.facts()
    lines = bench.path("events.jsonl").read_bytes().splitlines(keepends=True)

    def attempt(kept: int) -> None:
        run = bench.home / f"cut{kept}" / "r1"
        shutil.copytree(bench.path(""), run)
        (run / "events.jsonl").write_bytes(b"".join(lines[:kept]))
        for view in ("checkpoint.json", "summary.json", "summary.md"):
            (run / view).unlink()
        manifest = json.loads((run / "manifest.json").read_text())
        (run / "manifest.json").write_text(json.dumps({"run_id": manifest["run_id"]}))
        assert api.resume(str(run)).summary.status == "PASS"
        with_cut = [f for f in facts_at(run) if f.traits.decision]
        assert decisions(with_cut) == decisions(whole)
        assert api.verify(str(run)).mismatches == ()
        remove(run.parent)

    sweep.over(sweep.points(range(1, len(lines)), every=3, about=more, most=8), attempt)


def facts_at(run: Path) -> list[AnyFact]:
    from custody.store.journal import read_lines
    from custody.store.root import Root

    with Root.open(str(run)) as root:
        return [line.fact() for line in read_lines(root)]


@pytest.mark.req("P-11")
def test_the_run_needs_the_part_no_more(bench: Bench) -> None:
    part(bench)
    over_range(bench)
    (bench.home / "task.dot").unlink()
    (bench.home / "pipeline.dot").unlink()
    holds(bench)
    forked = api.fork("r1", "tasks.2.audit", runsdir=str(bench.runsdir), run_id="r2")
    assert forked.summary.status == "PASS"
    holds(bench, "r2")


def leave(bench: Bench, more: str = "") -> str:
    """Run until the second item's audit waits for a person; return the pipeline."""
    text = PART.replace("audit [type=agent_task,", 'audit [type=agent_task, agent="outbox",')
    part(bench, text)
    name = bench.pipeline(OVER_RANGE.format(more=more))
    result = api.run(name, runsdir=str(bench.runsdir), run_id="r1", agent="fake")
    assert result.waiting == "tasks.1.audit/1.1"
    api.answer("tasks.1.audit/1.1", "fine", runsdir=str(bench.runsdir))
    assert api.resume("r1", runsdir=str(bench.runsdir)).waiting == "tasks.2.audit/1.1"
    return name


def test_a_changed_part_is_refused(bench: Bench) -> None:
    name = leave(bench)
    part(bench, PART)
    with pytest.raises(PipelineChanged, match=r"tasks\.\*\.audit: agent removed"):
        api.resume("r1", runsdir=str(bench.runsdir), pipeline=name)


def test_a_changed_part_is_accepted_and_what_is_unchanged_is_kept(bench: Bench) -> None:
    name = leave(bench)
    part(bench, PART)
    result = api.resume("r1", runsdir=str(bench.runsdir), pipeline=name, accept_change=True)
    assert result.summary.status == "PASS"
    replaced = next(fact for fact in bench.facts() if isinstance(fact, PipelineReplaced))
    assert replaced.old_sha256 == replaced.new_sha256
    assert replaced.parts.keys() == {"task.dot"}
    assert replaced.reused == ("start", "tasks.1.draft", "tasks.1.start")
    started = [f.node for f in bench.facts() if isinstance(f, StageStarted)]
    assert started.count("tasks.1.draft") == 1
    assert started.count("tasks.1.audit") == 2
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
    api.replay("r1", runsdir=str(bench.runsdir))


def test_people_can_be_asked_for_items(bench: Bench) -> None:
    leave(bench, ", max_parallel=3")
    for index in (2, 3):
        api.answer(f"tasks.{index}.audit/1.1", "fine", runsdir=str(bench.runsdir))
        result = api.resume("r1", runsdir=str(bench.runsdir))
    assert result.summary.status == "PASS"
    holds(bench)


@pytest.mark.req("I-01", "I-02")
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=st.lists(st.sampled_from(ODD) | st.text(max_size=8), min_size=1, max_size=4))
def test_odd_items_never_break_a_path_or_a_template(bench: Bench, items: list[str]) -> None:
    items = [item for item in items if item.isprintable() or "\ud800" not in item]
    shutil.rmtree(bench.runsdir, ignore_errors=True)
    before = set(bench.home.rglob("*"))
    part(
        bench,
        PART.replace('docs/${index}.md"]\n    audit', 'docs/${item}"]\n    audit').replace(
            "${doc:docs/${index}.md}", "x"
        ),
    )
    over_list(bench, items)
    outside = {p for p in bench.home.rglob("*") if bench.runsdir not in p.parents} - before
    assert {p.name for p in outside} <= {"runs", "task.dot", "pipeline.dot", "giving.json"}
    for index, item in enumerate(items, 1):
        prompt = bench.path(f"nodes/tasks.{index}.draft/1.1/prompt.md")
        refused = [
            f
            for f in bench.facts()
            if isinstance(f, GuardrailViolation) and f.node == f"tasks.{index}.draft"
        ]
        assert prompt.exists() != bool(refused)
        if prompt.exists():
            assert prompt.read_bytes().decode().startswith(f"Write {item} ({index} of".lstrip())
    holds(bench)

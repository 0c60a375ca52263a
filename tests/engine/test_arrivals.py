"""An answer that came is never asked for again, whatever ends the process before its turn."""

from __future__ import annotations

import signal

import pytest

from custody import api
from custody.model.attempt_event import AnswerArrived
from custody.model.event import RequestAnswered
from support.bench import Bench
from support.counted import CountedAgent, custody, told, until
from support.lists import holds, part

MIXED = """digraph task {
    start [shape=Mdiamond]
    pick [type=agent_task, prompt="Pick ${item}", output_path="docs/pick.${index}.md"]
    draft [type=agent_task, prompt="Write ${item}", output_path="docs/${index}.md"]
    ask [type=agent_task, prompt="Say ${item}", output_path="docs/${index}.md", agent="outbox"]
    done [shape=Msquare]
    start -> pick
    pick -> ask [condition="context.who=person"]
    pick -> draft
    draft -> done
    ask -> done
}
"""
FOUR = """digraph task {
    start [shape=Mdiamond]
    draft [type=agent_task, prompt="Write ${item}", output_path="docs/${index}.md"]
    done [shape=Msquare]
    start -> draft -> done
}
"""
OVER = 'tasks [type=each, pipeline="task.dot", items="1..4", max_parallel=4] start -> tasks -> done'
NODES = [f"tasks.{index}.draft" for index in (1, 2, 3, 4)]


@pytest.fixture
def counted(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> CountedAgent:
    return CountedAgent(bench, monkeypatch)


def started(bench: Bench, agent: str) -> list[str]:
    part(bench, FOUR)
    return [
        "run", bench.pipeline(OVER), "--workdir", str(bench.workdir), "--runsdir",
        str(bench.runsdir), "--run-id", "r1", "--agent", agent,
    ]  # fmt: skip


@pytest.mark.req("G-20")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_answers_of_items_outlive_the_process(
    bench: Bench, counted: CountedAgent, number: signal.Signals
) -> None:
    counted.let(*NODES[1:3])
    process = custody(*started(bench, counted.name))
    until(bench.path("events.jsonl"), "AnswerArrived", 2)
    told(process, number)
    assert process.returncode == (-9 if number == signal.SIGKILL else 130)
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
    counted.let()
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary.status == "PASS"
    assert counted.asked() == {f"{node}/1.1": 1 if node in NODES[1:3] else 2 for node in NODES}
    answered = [fact.node for fact in bench.facts() if isinstance(fact, RequestAnswered)]
    assert answered == NODES
    for index, node in enumerate(NODES, 1):
        assert bench.path(f"docs/{index}.md").read_text().split()[0] == node
    assert not list(bench.path("nodes/tasks.2.draft").glob("*.lost.*"))
    holds(bench)


@pytest.mark.req("G-20")
def test_a_wait_for_a_person_loses_no_answer(bench: Bench, counted: CountedAgent) -> None:
    counted.let()
    counted.gives("tasks.2.pick", {"who": "person"})
    part(bench, MIXED)
    assert bench.run(OVER, agent=counted.name).waiting == "tasks.2.ask/1.1"
    once = {f"tasks.{index}.pick/1.1": 1 for index in (1, 2, 3, 4)}
    once |= {f"tasks.{index}.draft/1.1": 1 for index in (1, 3, 4)}
    assert counted.asked() == once
    assert sum(isinstance(fact, AnswerArrived) for fact in bench.facts()) >= 2
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
    api.answer("tasks.2.ask/1.1", "Said.\n", runsdir=str(bench.runsdir))
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary.status == "PASS"
    assert counted.asked() == once
    holds(bench)

"""Pipelines that work through a list, and answers for them."""

from __future__ import annotations

import json
from typing import Any

from custody import api
from custody.engine.result import RunResult
from support.bench import Bench

PART = """digraph task {
    start [shape=Mdiamond]
    draft [type=agent_task, prompt="Write ${item} (${index} of ${count}) for $goal",
           output_path="docs/${index}.md"]
    audit [type=agent_task, prompt="Audit: ${doc:docs/${index}.md}",
           output_path="audits/${index}.md"]
    done [shape=Msquare]
    start -> draft -> audit -> done
}
"""
OVER_RANGE = 'tasks [type=each, pipeline="task.dot", items="1..3"{more}]\nstart -> tasks -> done'


def part(bench: Bench, text: str = PART, *, name: str = "task.dot") -> None:
    """Put a part beside the pipeline."""
    (bench.home / name).parent.mkdir(parents=True, exist_ok=True)
    (bench.home / name).write_text(text)


def over_range(bench: Bench, more: str = "", **options: Any) -> RunResult:
    """Work through three numbers."""
    return bench.run(OVER_RANGE.format(more=more), **options)


def giving(bench: Bench, value: Any, name: str = "list") -> str:
    """Return an agent that puts a value into the context."""
    book = bench.home / "giving.json"
    book.write_text(json.dumps({"answers": [{"text": "x", "context_updates": {name: value}}]}))
    return f"fake:{book}"


def over_list(bench: Bench, value: Any, more: str = "", **options: Any) -> RunResult:
    """Work through a list that an agent puts into the context; the others are plain fakes."""
    body = (
        f'give [prompt="x", agent="{giving(bench, value)}"]\n'
        f'tasks [type=each, pipeline="task.dot", items="context.list"{more}]\n'
        "start -> give -> tasks -> done"
    )
    return bench.run(body, **options)


def holds(bench: Bench, run_id: str = "r1") -> None:
    """Prove a run: it replays to the last fact, and every claim of it holds."""
    runsdir = str(bench.runsdir)
    assert api.verify(run_id, runsdir=runsdir).mismatches == ()
    recorded = sum(fact.traits.decision for fact in bench.facts(run_id))
    assert api.replay(run_id, runsdir=runsdir).facts == recorded

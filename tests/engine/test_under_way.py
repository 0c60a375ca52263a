"""Which files of a run that was left belong to work that is not recorded to its end."""

from __future__ import annotations

import pytest

from custody.engine.under_way import UnderWay
from custody.model.event import RequestAnswered
from custody.store.history import History
from custody.store.rundir import RunDirectory
from support.bench import Bench
from support.ending import ends_before

BODY = (
    'a [prompt="x"]\nb [type=agent_task, prompt="y", output_path="docs/b.md"]\n'
    "start -> a -> b -> done"
)


@pytest.mark.parametrize(
    ("path", "is_under_way"),
    [
        ("nodes/b/1.1/response.md", True),
        ("docs/b.md", True),
        ("docs/other.md", False),
        ("nodes/a/1.1/stranger", False),
        ("nodes/a/1.2/prompt.md", True),
        ("nodes/new/1.1/prompt.md", True),
        ("nodes/new/stranger", False),
        ("checkpoint.json", True),
        ("summary.md", True),
        ("outbox/001_a_answer.md", True),
        ("stranger", False),
    ],
)
def test_work_that_was_cut_short(bench: Bench, path: str, is_under_way: bool) -> None:
    with ends_before(RequestAnswered, "b"):
        bench.run(BODY)
    with RunDirectory.open(str(bench.path("")), write=False) as run:
        assert UnderWay(History.read(run)).holds(path) == is_under_way

"""What waits for a person, over all runs."""

from __future__ import annotations

import json

import pytest

from custody import api
from custody.cli import main
from support.bench import Bench

ASKS = 'ask [prompt="x"] start -> ask -> done'


def test_nothing_waits(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--runsdir", str(bench.runsdir)]
    assert main(["inbox", *where]) == 0
    assert capsys.readouterr().out == "nothing waits\n"
    assert main(["inbox", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out) == {"waiting": []}


def test_the_run_that_began_first_stands_first(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("b", "a"):
        bench.run(ASKS, agent="outbox", run_id=name)
    bench.run("start -> done", run_id="done")
    api.answer("b/ask/1.1", "yes", runsdir=str(bench.runsdir))
    assert main(["inbox", "--runsdir", str(bench.runsdir)]) == 0
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == ["request", "since", "state", "prompt"]
    assert [(row.split()[0], row.split()[2]) for row in rows] == [
        ("b/ask/1.1", "answered"),
        ("a/ask/1.1", "waiting"),
    ]
    assert all(row.split()[3].startswith(str(bench.runsdir)) for row in rows)

"""No secret reaches the run directory, whichever way it came."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.model.event import StageStarted
from support.bench import Bench
from support.plugins import install

PRINTS = 'tell [type=tool, tool_command="sh tell.sh"] start -> tell -> done'
ASKS = 'ask [prompt="x"] start -> ask -> done'


def whole_run(bench: Bench) -> str:
    """Return everything that the run directory holds, but for the work and the pipeline."""
    run = bench.path("")
    return "\n".join(
        path.read_bytes().decode("utf-8", "replace")
        for path in sorted(run.rglob("*"))
        if path.is_file() and path.relative_to(run).parts[0] not in {"workspace", "blobs"}
    )


@pytest.mark.req("I-09")
def test_the_words_of_a_command_in_a_fact(bench: Bench) -> None:
    bench.run('tell [type=tool, tool_command="echo --token s3cr3ts3cr3t"] start -> tell -> done')
    started = [fact for fact in bench.facts() if isinstance(fact, StageStarted) and fact.request]
    assert started[0].request is not None
    assert "s3cr3t" not in bench.path("events.jsonl").read_text()
    assert "s3cr3t" not in bench.path("nodes/tell/1.1/tool.stdout.log").read_text()
    from custody import api

    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()


REFUSING = """
from custody.errors import PathRefused

class Refusing:
    def __init__(self, argument): ...

    def work(self, request, stage):
        raise PathRefused("denied", f"bad key {request.id} sk-live-0123456789abcdef")
"""


@pytest.mark.req("I-09")
def test_what_an_exception_says(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", "refusing", REFUSING, "Refusing")
    monkeypatch.syspath_prepend(tmp_path / "site")
    bench.run(ASKS, agent="refusing")
    held = whole_run(bench)
    assert "bad key ask/1.1 [redacted:sk-key]" in held
    assert "0123456789abcdef" not in bench.path("nodes/ask/1.1/status.json").read_text()


def test_a_resumed_run_reaches_the_same_facts_without_the_secret(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "hunter2hunter2")
    (bench.workdir / "tell.sh").write_text("echo hunter2hunter2")
    bench.run(PRINTS)
    monkeypatch.delenv("MY_TOKEN")
    from custody import api

    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "PASS"
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
    assert "[redacted:MY_TOKEN]" in bench.path("nodes/tell/1.1/tool.stdout.log").read_text()

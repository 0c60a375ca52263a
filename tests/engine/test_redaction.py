"""No secret reaches the run directory, whichever way it came."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from custody.errors import PathRefused
from custody.executors import Stage, agents
from custody.model.event import RequestAnswered, StageStarted
from custody.model.request import Ack, AgentRequest
from support.bench import Bench

CORPUS = Path(__file__).parents[1] / "hostile" / "corpus.json"
CASES = [case for case in json.loads(CORPUS.read_text()) if case["surface"] == "redaction"]
PRINTS = 'tell [type=tool, tool_command="sh tell.sh"] start -> tell -> done'
ASKS = 'ask [prompt="x"] start -> ask -> done'


def texts_of(given: Any) -> list[str]:
    """Return what a case makes a program print, piece by piece."""
    match given:
        case {"chunks": chunks}:
            return list(chunks)
        case {"env": _, "text": text} | {"exception": text} | str(text):
            return [text]
        case {"argv": argv}:
            return [" ".join(argv)]
        case other:
            raise AssertionError(other)


def sensitive(case: dict[str, Any]) -> str:
    """Return the part of a case's text that must not be found again."""
    text = "".join(texts_of(case["input"]))
    found = re.search(
        r"(?:Bearer |--token |user:|token=|)"
        r"([A-Za-z0-9_-]{6,}[0-9A-Za-z.=]{3,})(?=$|@|\.\.\.|\x07)",
        text,
    )
    assert found, text
    return found[1].rstrip(".")[:30]


def whole_run(bench: Bench) -> str:
    """Return everything that the run directory holds, but for the work and the pipeline."""
    run = bench.path("")
    return "\n".join(
        path.read_bytes().decode("utf-8", "replace")
        for path in sorted(run.rglob("*"))
        if path.is_file() and path.relative_to(run).parts[0] not in {"workspace", "blobs"}
    )


@pytest.fixture
def surroundings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in dict(request.param.get("env", {})).items():
        monkeypatch.setenv(name, value)


def environment_of(case: dict[str, Any]) -> dict[str, Any]:
    return case["input"] if isinstance(case["input"], dict) else {}


@pytest.mark.req("I-09")
@pytest.mark.parametrize(
    ("case", "surroundings"),
    [pytest.param(case, environment_of(case), id=case["id"]) for case in CASES],
    indirect=["surroundings"],
)
@pytest.mark.usefixtures("surroundings")
def test_what_a_program_prints(case: dict[str, Any], bench: Bench) -> None:
    lines = []
    for number, text in enumerate(texts_of(case["input"])):
        (bench.workdir / f"{number}.txt").write_text(text)
        lines.append(f"cat {number}.txt; sleep 0.05; cat {number}.txt >&2")
    (bench.workdir / "tell.sh").write_text("\n".join([*lines, "exit 3"]))
    result = bench.run(PRINTS)
    assert result.summary.status == "FAIL"
    held = whole_run(bench)
    (answered,) = (f for f in bench.facts() if isinstance(f, RequestAnswered))
    if case["expect"] == "accept":
        assert texts_of(case["input"])[0] in held
        assert answered.ack.redacted == 0
    else:
        assert "[redacted:" in held
        assert sensitive(case) not in held
        assert answered.ack.redacted >= 2


@pytest.mark.req("I-09")
@pytest.mark.parametrize(
    ("case", "surroundings"),
    [pytest.param(case, environment_of(case), id=case["id"]) for case in CASES],
    indirect=["surroundings"],
)
@pytest.mark.usefixtures("surroundings")
def test_what_an_agent_says(case: dict[str, Any], bench: Bench) -> None:
    text = "".join(texts_of(case["input"]))
    answer = {"text": text, "notes": text, "outcome": "fail", "context_updates": {"a": [text]}}
    book = bench.home / "book.json"
    book.write_text(json.dumps({"answers": [answer]}))
    bench.run(ASKS, agent=f"fake:{book}")
    held = whole_run(bench)
    (answered,) = (f for f in bench.facts() if isinstance(f, RequestAnswered))
    if case["expect"] == "accept":
        assert json.dumps(text)[1:-1] in held
        assert answered.ack.redacted == 0
    else:
        assert sensitive(case) not in held
        assert answered.ack.redacted >= 3


@pytest.mark.req("I-09")
def test_the_words_of_a_command_in_a_fact(bench: Bench) -> None:
    bench.run('tell [type=tool, tool_command="echo --token s3cr3ts3cr3t"] start -> tell -> done')
    started = [fact for fact in bench.facts() if isinstance(fact, StageStarted) and fact.request]
    assert started[0].request is not None
    assert "s3cr3t" not in bench.path("events.jsonl").read_text()
    assert "s3cr3t" not in bench.path("nodes/tell/1.1/tool.stdout.log").read_text()
    from custody import api

    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()


@pytest.mark.req("I-09")
def test_what_an_exception_says(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        def work(self, request: AgentRequest, _stage: Stage) -> Ack:
            raise PathRefused("denied", f"bad key {request.id} sk-live-0123456789abcdef")

    monkeypatch.setitem(agents.BUILT_IN, "refusing", lambda _argument: Refusing())
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

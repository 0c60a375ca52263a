"""What an agent hands in: an answer to its request, or nothing that counts."""

from __future__ import annotations

import math
from typing import Any

import pytest

from custody import api
from custody.engine.result import RunResult
from custody.errors import MalformedDocument
from custody.executors import Stage
from custody.executors.ack_check import checked
from custody.model.event import GuardrailViolation
from custody.model.evidence import Evidence
from custody.model.request import Ack, AgentRequest, Usage
from custody.model.verdict import Verdict
from support.bench import Bench
from support.stages import StageSite, agent_request

WRONG = "0" * 64
FORMS: dict[str, dict[str, Any]] = {
    "another request": {"request_id": "b/1.1"},
    "no request": {"request_id": ""},
    "no status": {"status": None},
    "an unknown status": {"status": "great"},
    "no notes": {"notes": None},
    "a number for a text": {"notes": 7},
    "bytes for a text": {"failure_reason": b"x"},
    "no context": {"context_updates": None},
    "no evidence": {"evidence": None},
    "a text for a verdict": {"verdicts": ("x",)},
    "a refusal that succeeded": {
        "verdicts": (Verdict(check="writes", allowed=False, code="denied", reason="no"),)
    },
    "half an exit code": {"exit_code": 3.5},
    "half a token": {"usage": Usage(input_tokens=0.5)},  # type: ignore[arg-type]
    "tokens back": {"usage": Usage(input_tokens=-1)},
    "answers unsaid": {"usage": Usage(output_tokens=-1)},
    "a cache given back": {"usage": Usage(cached_tokens=-1)},
    "money back": {"usage": Usage(cost_usd=-0.01)},
    "endless money": {"usage": Usage(cost_usd=math.inf)},
    "tokens without end": {"usage": Usage(input_tokens=10**400)},
    "time back": {"seconds": -1.0},
    "a file outside": {"evidence": (Evidence(path="../x", sha256=WRONG, bytes=1),)},
    "a file of custody's": {"evidence": (Evidence.of_text("manifest.json", "x"),)},
    "a file of another attempt": {"evidence": (Evidence.of_text("nodes/b/1.1/a.md", "x"),)},
    "a file that is not there": {"evidence": (Evidence("nodes/a/1.1/no", WRONG, 1),)},
    "another text": {"evidence": (Evidence("nodes/a/1.1/a.md", WRONG, 1, text="x"),)},
}


class Handing:
    """Hands in what it is told to."""

    def __init__(self, found: Any, **fields: Any) -> None:
        self._found = found
        self._fields = fields

    def work(self, request: AgentRequest, stage: Stage) -> Any:
        response = stage.folder.write("response.md", "Done.\n")
        if self._found is not None:
            return self._found
        given = {"request_id": request.id, "status": "ok", "evidence": (response,)}
        return Ack(**{**given, **self._fields})


def handed_in(bench: Bench, agent: Handing) -> RunResult:
    return bench.run('a [prompt="x"]\nstart -> a -> done', agent=agent)


@pytest.mark.req("G-24")
@pytest.mark.req("G-15")
@pytest.mark.parametrize("form", FORMS)
def test_what_is_no_answer_is_refused_and_the_record_holds(bench: Bench, form: str) -> None:
    assert handed_in(bench, Handing(None, **FORMS[form])).summary.status == "FAIL"
    (refused,) = (fact for fact in bench.facts() if isinstance(fact, GuardrailViolation))
    assert refused.verdicts[0].code in {"type", "json"}
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "FAIL"


@pytest.mark.parametrize("found", [7, "Done.", (), {"status": "ok"}])
def test_what_is_no_ack_is_refused(bench: Bench, found: Any) -> None:
    assert handed_in(bench, Handing(found)).summary.status == "FAIL"
    (refused,) = (fact for fact in bench.facts() if isinstance(fact, GuardrailViolation))
    assert f"is no Ack but {type(found).__name__!r}" in refused.verdicts[0].reason


def test_an_answer_is_taken_as_the_journal_keeps_it(bench: Bench) -> None:
    result = handed_in(bench, Handing(None, context_updates={1: {"a"}}, exit_code=3, seconds=2))
    assert result.summary.status == "PASS"
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()


def test_files_of_the_attempt_are_looked_at(place: StageSite) -> None:
    request = agent_request()
    stage = place.stage()
    long = stage.folder.write("long.md", "x" * 5000)
    shown = stage.folder.write("short.md", "x")
    ack = Ack(request_id=request.id, status="ok", evidence=(long.sealed(), shown))
    assert checked(ack, request, stage) == ack
    other = Evidence(path=long.path, sha256=WRONG, bytes=long.bytes)
    with pytest.raises(MalformedDocument, match="which is not what it says"):
        checked(Ack(request_id=request.id, status="ok", evidence=(other,)), request, stage)

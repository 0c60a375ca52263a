"""Journals that were changed, torn or cut, and texts and clocks that try to spoil one."""

from __future__ import annotations

import json
import re
import shutil
import time
from typing import Any

import pytest

from custody.model.event import RequestAnswered
from custody.model.process_event import RunResumed
from custody.store.journal import Journal, read_lines
from custody.store.limits import TEXT_LIMIT
from custody.store.root import Root
from support.hostile import Case, Ground, cases, picture
from support.tampering import tamper

STAGES = 25
BODY = " ".join(f'n{n} [prompt="x"]' for n in range(STAGES))
CHAIN = f"{BODY} start -> {' -> '.join(f'n{n}' for n in range(STAGES))} -> done"
HOURS = {"h": 1, "day": 24, "year": 24 * 365}
ONE = 'one [prompt="x"] start -> one -> done'


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """Return a ground with two runs of one pipeline that have ended; the tests copy it."""
    made = Ground(tmp_path_factory.mktemp("ended"))
    pipeline = made.pipeline(CHAIN)
    for run_id in ("r1", "r2"):
        assert made.start(pipeline, run_id=run_id).code == 0
    assert len(made.facts()) >= 100
    return made


@pytest.fixture
def tampered(ended: Ground, ground: Ground) -> Ground:
    """Return a ground of this test's own with the same two runs."""
    shutil.copytree(ended.runsdir, ground.runsdir, symlinks=True)
    return ground


@pytest.mark.req("P-11")
@pytest.mark.parametrize("case", cases("log"), ids=str)
def test_log(case: Case, ground: Ground, request: pytest.FixtureRequest) -> None:
    if "clock" in case.input:
        a_clock_goes_back(case, ground)
    elif "event" in case.input:
        a_stage_says(case, ground)
    else:
        somebody_changes_it(case, request.getfixturevalue("tampered"))


def somebody_changes_it(case: Case, ground: Ground) -> None:
    (description,) = case.input.values()
    journal = ground.path("events.jsonl")
    changed = tamper(
        description, journal.read_bytes(), ground.path("events.jsonl", "r2").read_bytes()
    )
    assert changed != journal.read_bytes()
    journal.write_bytes(changed)
    found = ground.ask("verify")
    assert found.code == 1
    codes = [mismatch["code"] for mismatch in found.data["mismatches"]]
    if case.kind == "recover":
        assert case.code == "truncate_tail"
        torn_tail_is_cut(ground)
        return
    code, _, line = case.code.partition("@")
    assert code in codes
    first = found.data["mismatches"][0]["where"]
    assert first.endswith(f"events.jsonl:{line}") if line else EVENTS_AT.search(first)
    before = picture(ground.runsdir)
    resumed = ground.ask("resume")
    assert (resumed.code, resumed.data["error_type"]) == (1, "JOURNAL_BROKEN")
    assert picture(ground.runsdir) == before


EVENTS_AT = re.compile(r"events\.jsonl(:\d+)?$")


def torn_tail_is_cut(ground: Ground) -> None:
    """The run goes on from its last whole line, says what was cut, and is whole again."""
    assert ground.ask("resume").code == 0
    resumed = [fact for fact in ground.facts() if isinstance(fact, RunResumed)]
    assert [fact.torn_bytes > 0 for fact in resumed] == [True]
    assert ground.ask("verify").code == 0
    answers = [f.ack.request_id for f in ground.facts() if isinstance(f, RequestAnswered)]
    assert len(answers) == len(set(answers)) == STAGES


def a_stage_says(case: Case, ground: Ground) -> None:
    notes, context = texts_of(case.input["event"])
    agent = ground.answers({"notes": notes, "context_updates": {"said": context}})
    run = ground.start(ground.pipeline(ONE), agent)
    assert ground.ask("verify").code == 0
    raw = ground.path("events.jsonl").read_bytes()
    lines = raw.decode().split("\n")[:-1]
    assert [json.loads(line)["seq"] for line in lines] == list(range(len(lines)))
    if case.kind == "reject":
        assert run.code == 1
        assert [verdict.code for verdict in ground.refusals()] == [case.code]
        return
    assert run.code == 0
    (answered,) = (fact for fact in ground.facts() if isinstance(fact, RequestAnswered))
    if case.code == "escaped":
        assert answered.ack.notes == notes
        assert raw.decode().splitlines() == lines
    else:
        assert case.code == "capped"
        assert len(raw) < 8 * TEXT_LIMIT
        assert re.search(
            rf"\[cut: {len(notes)} bytes, sha256 [0-9a-f]{{64}}\]$", answered.ack.notes
        )
    assert ground.ask("replay").code == 0


def texts_of(event: Any) -> tuple[str, Any]:
    """Return what an agent says: a text, and a value for the context."""
    if isinstance(event, dict):
        return str(event["message"]), event["message"]
    if size := re.match(r"(\d+) MB message", event):
        return "m" * (int(size[1]) << 20), "short"
    name, value = event.split(" = ")
    return name, {"x": float(value.replace("Infinity", "inf"))}


def a_clock_goes_back(case: Case, ground: Ground) -> None:
    """A run is taken up with an earlier clock than it began with; the lines' order stays."""
    jump = re.search(r"back (\d+) (h|days?|years?)\b", case.input["clock"])
    assert jump is not None, f"nobody knows how to set a clock so: {case.input}"
    assert case.expect == "accept:seq"
    assert ground.start(ground.pipeline(ONE)).code == 0
    begun_later(ground, hours=int(jump[1]) * HOURS[jump[2].rstrip("s")])
    assert ground.ask("resume").code == 0
    lines = [json.loads(line) for line in ground.path("events.jsonl").read_text().splitlines()]
    stamps = [line["ts"] for line in lines]
    assert stamps != sorted(stamps)
    assert [line["seq"] for line in lines] == list(range(len(lines)))
    assert ground.ask("verify").code == ground.ask("replay").code == 0
    shown = ground.ask("log").out.splitlines()
    assert [json.loads(line)["seq"] for line in shown] == list(range(len(lines)))
    assert ground.ask("show").data["summary"]["active_seconds"] >= 0


def begun_later(ground: Ground, hours: int) -> None:
    """Take a run back to its first stage, as if it had come there some hours from now."""
    with Root.open(str(ground.path("."))) as root:
        first = list(read_lines(root))[:5]
        assert first[-1].event == "StageStarted"
        for name in ("events.jsonl", "checkpoint.json"):
            ground.path(name).unlink()
        late = Journal.create(root, "r1", clock=lambda: time.time_ns() + hours * 3600 * 10**9)
        for line in first:
            late.append(line.fact(), role=line.role, path=line.path)
        late.commit()
        late.close()

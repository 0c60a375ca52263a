"""A person is asked by a file, and answers by one; the run waits in between."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from custody import api
from custody.engine.recording import Recording
from custody.errors import PipelineInvalid, RunNotFound, UsageError
from custody.executors.agents import outbox
from custody.model.event import AnyFact, RequestAnswered
from custody.model.letter_event import AnswerRefused, QuestionAsked
from custody.model.process_event import RunWaiting
from custody.model.request import AgentRequest
from custody.store.mailbox import FILE_LIMIT
from support.bench import Bench

ASKS = 'ask [prompt="Review the change for $goal."] start -> ask -> done'
OUTBOX = "outbox/001_ask_answer.md"


@pytest.fixture
def waiting(bench: Bench) -> Bench:
    """Return a bench with a run that waits."""
    result = bench.run(ASKS, agent="outbox")
    assert (result.summary.status, result.waiting) == ("RUNNING", "ask/1.1")
    return bench


def verified(bench: Bench) -> bool:
    return api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()


def resume(bench: Bench) -> str:
    return api.resume("r1", runsdir=str(bench.runsdir)).summary.status


def answer(bench: Bench, text: str = "Verdict: APPROVE\n", request: str = "ask/1.1") -> None:
    api.answer(request, text, runsdir=str(bench.runsdir))


@pytest.mark.req("C-26", "C-28")
def test_the_prompt_holds_what_a_person_must_know(waiting: Bench) -> None:
    text = waiting.path(OUTBOX).read_text()
    target = next(line for line in text.splitlines() if line.startswith("Target-Path: "))[13:]
    for line in (
        f"Run-Dir: {waiting.path('').resolve()}", "Role: ask", "Action: answer",
        f"write to: {target}", f"Missing artifacts: {target}", "max_outbox_prompts: 20",
        "max_files: 20", "max_total_bytes: 200000", "max_iterations: 3",
        "- Do not modify repository files.", "Review the change for ship it.",
    ):  # fmt: skip
        assert line in text.splitlines(), line
    assert not Path(target).is_absolute()
    assert "Only write the requested target artifact" in text


@pytest.mark.req("C-26")
def test_a_run_waits_and_goes_on_with_the_answer(waiting: Bench) -> None:
    assert isinstance(waiting.facts()[-1], RunWaiting)
    assert verified(waiting)
    answer(waiting)
    assert verified(waiting)
    assert resume(waiting) == "PASS"
    (answered,) = (f for f in waiting.facts() if isinstance(f, RequestAnswered))
    assert [item.path.partition("/")[0] for item in answered.ack.evidence] == [
        "nodes", "outbox", "inbox",
    ]  # fmt: skip
    assert waiting.path("nodes/ask/1.1/response.md").read_text() == "Verdict: APPROVE\n"
    assert not list(waiting.path("nodes/ask").glob("*.lost.*"))
    assert verified(waiting)
    assert api.replay("r1", runsdir=str(waiting.runsdir)).status == "PASS"
    assert api.inbox(runsdir=str(waiting.runsdir)) == []


def test_a_run_that_still_waits_is_left_as_it_is(waiting: Bench) -> None:
    before = waiting.path("events.jsonl").read_bytes()
    result = api.resume("r1", runsdir=str(waiting.runsdir))
    assert (result.summary.status, result.waiting) == ("RUNNING", "ask/1.1")
    assert waiting.path("events.jsonl").read_bytes() == before
    assert [path.name for path in waiting.path("outbox").iterdir()] == ["001_ask_answer.md"]


def test_an_answer_is_given_once_and_not_empty(waiting: Bench) -> None:
    with pytest.raises(UsageError, match="empty"):
        answer(waiting, " \n")
    answer(waiting, "first")
    with pytest.raises(UsageError, match="already"):
        answer(waiting, "second")
    assert resume(waiting) == "PASS"
    assert waiting.path("nodes/ask/1.1/response.md").read_text() == "first"
    with pytest.raises(RunNotFound):
        answer(waiting, "third")


@pytest.mark.req("I-09")
def test_no_secret_of_an_answer_is_kept(waiting: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "hunter2hunter2")
    answer(waiting, "use hunter2hunter2")
    assert resume(waiting) == "PASS"
    for path in waiting.path("").rglob("*.md"):
        assert "hunter2" not in path.read_text()


@pytest.mark.parametrize("fact", [RunWaiting, RequestAnswered])
def test_a_crash_at_the_wrong_moment_asks_no_second_time(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, fact: type[AnyFact]
) -> None:
    """The process ends after the file was written and before the fact is."""
    write = Recording.write

    class Killed(BaseException):
        pass

    def dies(self: Recording, written: AnyFact, *, role: str = "engine", path: str = "") -> None:
        if isinstance(written, fact):
            raise Killed
        write(self, written, role=role, path=path)

    if fact is RequestAnswered:
        bench.run(ASKS, agent="outbox")
        answer(bench)
    with monkeypatch.context() as patched:
        patched.setattr(Recording, "write", dies)
        with pytest.raises(Killed):
            resume(bench) if fact is RequestAnswered else bench.run(ASKS, agent="outbox")
    if fact is RunWaiting:
        assert verified(bench)
        assert resume(bench) == "RUNNING"
        answer(bench)
    assert resume(bench) == "PASS"
    assert [path.name for path in bench.path("outbox").iterdir()] == ["001_ask_answer.md"]
    assert verified(bench)


def test_an_answer_to_another_prompt_is_none(waiting: Bench) -> None:
    answer(waiting)
    waiting.pipeline(ASKS.replace("Review", "Rewrite"))
    result = api.resume(
        "r1",
        runsdir=str(waiting.runsdir),
        pipeline=str(waiting.home / "pipeline.dot"),
        accept_change=True,
    )
    assert (result.summary.status, result.waiting) == ("RUNNING", "ask/1.1")
    assert len(list(waiting.path("outbox").iterdir())) == 2
    answer(waiting, "rewritten")
    assert resume(waiting) == "PASS"
    assert waiting.path("nodes/ask/1.1/response.md").read_text() == "rewritten"
    assert verified(waiting)


def test_a_run_directory_that_was_moved_is_answered_where_it_is(waiting: Bench) -> None:
    waiting.runsdir.rename(waiting.home / "elsewhere")
    waiting.runsdir = waiting.home / "elsewhere"
    answer(waiting)
    assert resume(waiting) == "PASS"
    assert [path.name for path in waiting.path("outbox").iterdir()] == ["001_ask_answer.md"]
    assert verified(waiting)


def test_a_prompt_in_the_words_of_another_version_is_answered_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = outbox.prompt_text

    def other_words(request: AgentRequest, run_dir: str, target: str) -> str:
        return words(request, run_dir, target).replace("## Hard constraints", "## Constraints")

    with monkeypatch.context() as patched:
        patched.setattr(outbox, "prompt_text", other_words)
        bench.run(ASKS, agent="outbox")
    answer(bench)
    assert resume(bench) == "PASS"
    assert [path.name for path in bench.path("outbox").iterdir()] == ["001_ask_answer.md"]
    assert verified(bench)


def test_too_many_prompts_fail_the_stage(bench: Bench) -> None:
    body = (
        'ask [prompt="x"] more [prompt="y", outbox.max_outbox_prompts="1"] '
        "start -> ask -> more -> done"
    )
    bench.run(body, agent="outbox")
    answer(bench)
    result = api.resume("r1", runsdir=str(bench.runsdir))
    assert result.summary.status == "FAIL"
    assert "max_outbox_prompts exceeded: 1" in result.summary.unhandled["more"]


def test_a_budget_that_is_no_number_is_found_first(bench: Bench) -> None:
    with pytest.raises(PipelineInvalid):
        bench.run('ask [prompt="x", outbox.max_outbox_prompts="many"] start -> ask -> done')


SCHEMA = (
    'ask [prompt="x", response_context=said, response_schema="{\\"type\\": \\"object\\"}"] '
    "start -> ask -> done"
)
FIT = '```json\n{"a": 1}\n```\n'
TOO_LARGE = b"sixteen megabytes"
"""Made where it is needed: what a test is given stays in memory as long as the tests run."""
BAD = {
    "empty": b"",
    "blank": b" \n\t\n",
    "no UTF-8": b"caf\xe9",
    "too large": TOO_LARGE,
    "no block": b"I approve.",
    "unfit": b"```json\n[1]\n```\n",
}


def target(bench: Bench) -> Path:
    (one,) = api.inbox(runsdir=str(bench.runsdir))
    return Path(one.answer)


@pytest.fixture(params=list(BAD.values()), ids=list(BAD))
def bad(request: pytest.FixtureRequest) -> bytes:
    """Return something that is no answer."""
    data: bytes = request.param
    return b"x" * (FILE_LIMIT + 1) if data is TOO_LARGE else data


@pytest.mark.req("G-26")
def test_a_bad_answer_is_refused_when_it_is_handed_in(bench: Bench, bad: bytes) -> None:
    bench.run(SCHEMA, agent="outbox")
    before = bench.path("events.jsonl").read_bytes()
    with pytest.raises(UsageError, match="the answer cannot be taken"):
        answer(bench, bad.decode(errors="surrogateescape"))
    assert not target(bench).exists()
    assert bench.path("events.jsonl").read_bytes() == before
    answer(bench, FIT)
    assert resume(bench) == "PASS"
    assert verified(bench)


@pytest.mark.req("G-26")
def test_a_bad_answer_that_is_found_is_set_aside(bench: Bench, bad: bytes) -> None:
    bench.run(SCHEMA, agent="outbox")
    path = target(bench)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bad)
    assert api.resume("r1", runsdir=str(bench.runsdir)).waiting == "ask/1.1"
    (refused,) = (fact for fact in bench.facts() if isinstance(fact, AnswerRefused))
    assert bench.path(refused.path).read_bytes() == bad
    assert not path.exists()
    assert verified(bench)
    answer(bench, FIT)
    assert resume(bench) == "PASS"
    assert verified(bench)


@pytest.mark.req("G-26")
def test_a_question_is_sealed_by_the_journal(waiting: Bench) -> None:
    (asked,) = (fact for fact in waiting.facts() if isinstance(fact, QuestionAsked))
    text = waiting.path(asked.question.path).read_bytes()
    assert hashlib.sha256(text).hexdigest() == asked.question.sha256
    assert waiting.path(asked.answer) == target(waiting)
    waiting.path(asked.question.path).write_bytes(text + b"And approve it.\n")
    assert not verified(waiting)


@pytest.mark.req("G-26")
@pytest.mark.parametrize("copied", [True, False], ids=["copied", "renamed"])
def test_a_run_that_lies_elsewhere_by_now_can_be_answered(waiting: Bench, copied: bool) -> None:
    elsewhere = waiting.runsdir / "elsewhere"
    if copied:
        shutil.copytree(waiting.path(""), elsewhere)
    else:
        waiting.path("").rename(elsewhere)
    runsdir = str(waiting.runsdir)
    assert api.resume("elsewhere", runsdir=runsdir).waiting == "ask/1.1"
    api.answer("elsewhere/ask/1.1", "Verdict: APPROVE\n", runsdir=runsdir)
    assert api.resume("elsewhere", runsdir=runsdir).summary.status == "PASS"
    assert [path.name for path in (elsewhere / "outbox").iterdir()] == ["001_ask_answer.md"]
    if copied:
        assert not target(waiting).exists()

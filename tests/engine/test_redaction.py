"""No secret reaches the run directory, whichever way it came."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody import api
from custody.checks.guards.secrets import Redactor
from custody.engine.redaction import Redaction, passed_in
from custody.errors import UsageError
from custody.model.event import PipelineStarted, StageStarted
from custody.model.request import Ack
from custody.model.verdict import Verdict
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
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "PASS"
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
    assert "[redacted:MY_TOKEN]" in bench.path("nodes/tell/1.1/tool.stdout.log").read_text()


SECRETS = {
    "token": "hunterhunter",
    "apiKey": "correcthorse",
    "text": "see https://u:s3cr3tpass@h/ and glffct-A1b2C3d4A1b2C3d4A1b2",
    "mine": "value-of-my-own",
    "plain": "nothing to see",
}
HIDDEN = ("hunterhunter", "correcthorse", "s3cr3tpass", "glffct-A1b2", "value-of-my-own")
TELLS = (
    'ask [prompt="use ${token} and ${apiKey}, ${text} or ${mine}: ${plain}"] '
    'note [type=write_file, output_path="docs/n.md", content="${text} ${mine} ${plain}"] '
    "start -> ask -> note -> done"
)
DECLARED = ", ".join(f'"var.{name}"=""' for name in SECRETS)


def every_byte(bench: Bench, run_id: str = "r1") -> bytes:
    """Return every name and every content of a run directory."""
    found = [*bench.path("", run_id).rglob("*")]
    contents = [path.read_bytes() for path in found if path.is_file()]
    return b"\n".join([*(str(path).encode() for path in found), *contents])


@pytest.mark.req("G-12")
def test_what_the_user_passes_in_is_in_no_file(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_OWN_TOKEN", SECRETS["mine"])
    agent = "command:cat --password hunterhunter --api-key correcthorse"
    result = bench.run(TELLS, graph=DECLARED, variables=SECRETS, agent=agent)
    held = every_byte(bench)
    assert [word for word in HIDDEN if word.encode() in held] == []
    assert b"nothing to see" in held
    assert b"[redacted:MY_OWN_TOKEN]" in held
    started = bench.facts()[0]
    assert isinstance(started, PipelineStarted)
    assert started.variables["token"] == started.variables["apiKey"] == "[redacted:flag]"
    assert "hunterhunter" not in started.agent
    monkeypatch.delenv("MY_OWN_TOKEN")
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == result.summary.status


@pytest.mark.req("G-12")
def test_a_fork_knows_no_secret_of_its_agent(bench: Bench) -> None:
    bench.run(ASKS)
    api.fork(
        "r1", "ask", runsdir=str(bench.runsdir), run_id="r2", agent="command:cat --token hunter2s"
    )
    assert b"hunter2s" not in every_byte(bench, "r2")
    assert api.verify("r2", runsdir=str(bench.runsdir)).mismatches == ()


@pytest.mark.req("G-12")
def test_a_run_that_was_told_a_secret_can_be_resumed(bench: Bench) -> None:
    body = 'ask [prompt="use ${token}", agent=outbox] start -> ask -> done'
    variables = {"token": SECRETS["token"]}
    waiting = bench.run(body, graph='"var.token"=""', variables=variables)
    assert waiting.waiting
    assert b"hunterhunter" not in every_byte(bench)
    api.answer(waiting.waiting, "done", runsdir=str(bench.runsdir))
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary.status == "PASS"
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()


@pytest.mark.req("G-12")
@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("token", "x", "[redacted:flag]"),
        ("db.password", "correct horse\nbattery", "[redacted:flag]"),
        ("userPassword", "abc", "[redacted:flag]"),
        ("key", "PROJ-12345", "PROJ-12345"),
        ("max_tokens", "16000000", "16000000"),
        ("primary_key", "customer_id", "customer_id"),
        ("digest", "ab12" * 16, "ab12" * 16),
        ("text", "the token is set", "the token is set"),
    ],
)
def test_a_value_is_secret_by_its_name_or_by_its_form(name: str, value: str, left: str) -> None:
    passed = passed_in(variables={name: value})
    assert passed.variables == {name: left}
    assert passed.redacted == ((name,) if left != value else ())


@pytest.mark.req("G-12")
def test_an_id_is_no_place_for_a_secret(bench: Bench) -> None:
    with pytest.raises(UsageError, match="the run id holds a secret"):
        bench.run("start -> done", run_id="ghp_" + "A1b2" * 9)
    assert not bench.runsdir.exists()


SECRET = "s3cr3ts3cr3t"


@pytest.mark.req("I-09")
def test_no_text_of_an_answer_holds_a_secret() -> None:
    why = Verdict(check="x", allowed=False, code="x", reason=SECRET, subject=f"a/{SECRET}")
    ack = Ack(
        request_id="a/1.1",
        status="failed",
        failure_reason=SECRET,
        failure_summary=SECRET,
        notes=SECRET,
        context_updates={"a": SECRET, SECRET: [1, {"b": SECRET}]},
        verdicts=(why,),
    )
    cleaned = Redaction(Redactor({"MY_TOKEN": SECRET})).ack(ack)
    assert SECRET not in repr(cleaned)
    assert cleaned.redacted == 8


@pytest.mark.req("I-09")
def test_the_path_of_a_source_holds_no_secret() -> None:
    passed = passed_in(variables={}, workdir="/work/https://user:s3cr3ts3cr3t@host/x")
    assert "s3cr3t" not in passed.workdir
    assert passed.redacted == ("workdir",)

from __future__ import annotations

import pytest

from custody.cli.render.stage import TAIL, asked, stage
from custody.model.change import Change
from custody.model.event import RequestAnswered
from custody.model.evidence import Evidence
from custody.model.outcome import Outcome, Route
from custody.model.request import (
    Ack,
    AgentRequest,
    AnyRequest,
    CommandLine,
    ToolRequest,
    VerificationRequest,
    WriteRequest,
)
from custody.model.verdict import Verdict
from custody.views.attempts import Account, Attempt

LINE = CommandLine(text="make test", commands=())
TOOL = ToolRequest(id="test/1.1", timeout=60, line=LINE)
DIFF = Evidence.of_text("nodes/test/1.1/workspace.diff.json", "")
FAILED = Attempt(
    node="test", type="tool", visit=1, attempt=1, folder="nodes/test/1.1", started_at="",
    request=TOOL,
    answer=RequestAnswered(
        node="test", diff=DIFF,
        ack=Ack(request_id="test/1.1", status="failed", seconds=2.0, exit_code=2),
    ),
    outcome=Outcome(status="fail", failure_reason="tool_exit_code_2"),
    route=Route(target="fix", by_condition=True, candidates=()),
)  # fmt: skip
AT_WORK = Attempt(
    node="test", type="tool", visit=2, attempt=1, folder="nodes/test/2.1", started_at="",
    request=TOOL,
)  # fmt: skip


def account(shown: Attempt, *attempts: Attempt, **texts: str) -> Account:
    return Account(
        shown=shown, attempts=attempts or (shown,), changes=(), texts=texts, unreadable={}
    )


def text(page: Account) -> list[str]:
    return [line.text for line in stage(page)]


def test_an_attempt_that_failed() -> None:
    assert text(account(FAILED, stderr="one\ntwo\n")) == [
        "test 1.1  tool  fail",
        "  evidence: nodes/test/1.1",
        "  asked: make test",
        "  answer: failed after 2.0s, exit code 2",
        "  reason: tool_exit_code_2",
        "  went to: fix, by its condition",
        "",
        "── stderr",
        "one",
        "two",
        "",
        "── changed: nothing",
    ]


def test_an_attempt_at_work() -> None:
    page = text(account(AT_WORK, FAILED, AT_WORK))
    assert page[0] == "test 2.1  tool  at work"
    assert page[-3:] == [
        "── all 2 attempts",
        "1.1    fail            tool_exit_code_2",
        "2.1    at work",
    ]


def test_a_stream_is_shown_from_its_end_and_a_prompt_as_a_whole() -> None:
    long = "".join(f"{number}\n" for number in range(TAIL + 2))
    page = text(account(FAILED, **{"prompt.md": long, "tool.stdout.log": long}))
    assert f"── tool.stdout.log, the last {TAIL} of {TAIL + 2} lines" in page
    assert page.count("0") == 1
    assert page.count("2") == 2


def test_our_own_log_may_be_folded_and_a_stream_of_others_not() -> None:
    page = account(FAILED, **{"command.log.jsonl": "{}", "command.stdout.log": "text"})
    assert {line.text: line.hang for line in stage(page) if line.text in {"{}", "text"}} == {
        "{}": 2,
        "text": None,
    }


def test_refusals_and_what_was_undone() -> None:
    verdict = Verdict(
        check="writes", allowed=False, code="not_allowed", reason="is not allowed", subject="x"
    )
    refused = Attempt(
        node="fix", type="codergen", visit=1, attempt=1, folder="nodes/fix/1.1", started_at="",
        request=None, verdicts=(verdict,), outcome=Outcome(status="fail", refused=(verdict,)),
    )  # fmt: skip
    page = Account(
        shown=refused,
        attempts=(refused,),
        changes=(Change(path="x", change="added"),),
        texts={},
        unreadable={"response.md": "there is no such file"},
    )
    assert "  refused: not_allowed x is not allowed" in text(page)
    assert "── response.md: cannot be read: there is no such file" in text(page)
    assert text(page)[-2:] == ["── changed: 1 path, refused and undone", "added    x"]


PLAN = Evidence.of_text("plan.json", "{}")


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (TOOL, "make test"),
        (
            AgentRequest(id="fix/1.1", timeout=1, agent="stub", prompt=PLAN, call=3),
            "agent stub, call 3",
        ),
        (
            VerificationRequest(
                id="v/1.1", timeout=1, plan=PLAN, required_files=("a",), lines=(LINE, LINE)
            ),
            "1 file; make test; make test",
        ),
        (
            WriteRequest(id="w/1.1", timeout=1, document=Evidence.of_text("docs/a.md", "x")),
            "write docs/a.md",
        ),
    ],
)
def test_what_was_asked(request_: AnyRequest, said: str) -> None:
    assert asked(request_) == said

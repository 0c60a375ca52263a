from __future__ import annotations

from custody.cli.render.trial import trial
from custody.engine.agent_trial import AgentTrial
from custody.model.request import Usage

ANSWERED = AgentTrial(
    agent="codex",
    answered=True,
    said="ready\nand more",
    reason="",
    summary="",
    seconds=1.5,
    usage=Usage(model="m", input_tokens=10, output_tokens=2, cost_usd=0.01),
    level="L3",
)


def told(made: AgentTrial) -> str:
    return "\n".join(line.text for line in trial(made))


def test_an_answer_is_told_with_time_and_cost() -> None:
    text = told(ANSWERED)
    for part in ("answered in 1.5s", "ready", "10 in, 2 out", "$0.0100", "L3"):
        assert part in text
    assert "and more" not in text


def test_a_failure_is_told_with_its_cause() -> None:
    failed = ANSWERED._replace(answered=False, reason="timeout", summary="set it", usage=None)
    assert told(failed).startswith("agent codex did not answer: timeout\n  set it")
    assert "asks a person" in told(ANSWERED._replace(waits=True))

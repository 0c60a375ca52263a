"""What an agent is, what it is given, and how it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from custody.errors import UsageError
from custody.executors.agents import AgentContext, AgentExecutor, AgentType
from custody.executors.agents.stub import StubAgent
from custody.executors.commands import CommandRunner
from custody.executors.sessions import Sessions
from custody.executors.settings import setting
from support.stages import StageSite, agent_request, named


@pytest.fixture
def executor(place: StageSite, runner: CommandRunner) -> Iterator[AgentExecutor]:
    """Return what asks agents."""
    with closing(Sessions(place.run.root, {})) as sessions:
        yield AgentExecutor(lambda: runner, lambda: sessions)


def kind(**fields: object) -> AgentType:
    settings = {
        "name": "mine",
        "doc": "Does it.",
        "make": lambda _argument, _context: StubAgent(),
        "starts_programs": False,
        **fields,
    }
    return AgentType(**settings)  # type: ignore[arg-type]


def test_its_attributes_begin_with_its_name_or_what_it_says() -> None:
    mood = setting("mood", "string", "How.")
    assert [rule.name for rule in kind(settings=(mood,)).rules()] == ["mine.mood"]
    assert [rule.name for rule in kind(settings=(mood,), prefix="x").rules()] == ["x.mood"]


def test_how_it_is_named() -> None:
    assert kind().spelling == "mine"
    assert kind(argument="MODEL").spelling == "mine:MODEL"


def test_an_agent_is_made_once(place: StageSite, executor: AgentExecutor) -> None:
    first = executor._agent("stub")
    assert executor._agent("stub") is first
    assert executor.execute(agent_request("stub"), place.stage()).notes == "stub"


def test_one_that_nobody_knows_is_told(place: StageSite, executor: AgentExecutor) -> None:
    with pytest.raises(UsageError, match="no agent named 'nobody'"):
        executor.execute(agent_request("nobody"), place.stage())


def test_an_agent_that_keeps_nothing_is_asked_anew(
    place: StageSite, executor: AgentExecutor
) -> None:
    assert executor.recover(agent_request("stub"), place.stage()) is None


def context(runner: CommandRunner, place: StageSite, **environment: str) -> AgentContext:
    return AgentContext(
        name="mine",
        runner=lambda: runner,
        environment=environment,
        sessions=lambda: Sessions(place.run.root, {}),
    )


def test_settings_are_those_of_the_request_and_of_the_process(
    place: StageSite, runner: CommandRunner
) -> None:
    made = context(runner, place, CUSTODY_MINE_A="env", CUSTODY_MINE_B="env")
    settings = made.settings(agent_request("mine", settings={"mine.a": "node"}))
    assert (settings.text("a"), settings.text("b")) == ("node", "env")


def test_a_program_gets_the_prompt_and_what_it_prints_is_the_response(
    place: StageSite, runner: CommandRunner
) -> None:
    stage = place.stage()
    stage.folder.write("prompt.md", "Do it.")
    ack = context(runner, place).run(("sh", "-c", "cat; echo; echo done"), agent_request(), stage)
    assert (ack.status, ack.exit_code) == ("ok", 0)
    assert place.read(named(ack.evidence)["response.md"]) == "Do it.\ndone\n"

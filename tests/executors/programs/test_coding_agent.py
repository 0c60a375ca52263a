"""A coding agent works in a home of its own, with the variables and the reach it is given."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from custody.executors.agents import AgentContext
from custody.executors.commands import CommandRunner
from custody.executors.programs.coding_agent import CodingAgent
from custody.executors.programs.coding_cli import CodingCli, Surroundings
from custody.executors.programs.reach import nowhere
from custody.executors.programs.reply import TextReader
from custody.executors.settings import Settings
from custody.model.request import Ack
from support.stages import StageSite, agent_request, named

SHOW = """
import os, sys
home = os.environ["HOME"]
print(sys.argv[1:], os.getcwd().rpartition("/")[2], home, os.listdir(home))
print({name: value for name, value in os.environ.items() if name.startswith("X_")})
print(sys.stdin.read())
"""


def arguments(settings: Settings, model: str, around: Surroundings) -> tuple[str, ...]:
    own = "confined" if around.confined else "free"
    return (sys.executable, "-c", SHOW, model, own, settings.text("extra"))


CLI = CodingCli(
    hint="install it",
    keys=("X_KEY",),
    arguments=arguments,
    variables=lambda _settings, home: {"X_HOME": home},
    reader=lambda _model: TextReader(),
    reach=nowhere,
)


def work(place: StageSite, runner: CommandRunner, **settings: str) -> tuple[Ack, list[str]]:
    context = AgentContext(
        name="mine",
        runner=lambda: runner,
        environment={"X_KEY": "k", "X_OTHER": "o", "HOME": "/root"},
        sessions=lambda: pytest.fail("a session is opened"),
    )
    stage = place.stage()
    stage.folder.write("prompt.md", "Do it.")
    node = {f"mine.{name}": value for name, value in settings.items()}
    ack = CodingAgent(CLI, "default", context).work(agent_request("mine", settings=node), stage)
    return ack, place.read(named(ack.evidence)["response.md"]).splitlines()


def test_it_gets_its_prompt_its_model_and_an_empty_home(
    place: StageSite, runner: CommandRunner
) -> None:
    ack, lines = work(place, runner, extra="more")
    assert ack.status == "ok", ack
    assert lines[0].startswith("['default', 'free', 'more'] workspace ")
    assert lines[0].endswith(" []")
    assert lines[2] == "Do it."
    home = lines[0].split()[-2]
    assert home.startswith(place.run.path)
    assert not Path(home).exists(), "it is removed afterwards"


def test_only_its_own_keys_are_passed(place: StageSite, runner: CommandRunner) -> None:
    _, lines = work(place, runner)
    assert "'X_KEY': 'k'" in lines[1]
    assert "'X_HOME': " in lines[1]
    assert "X_OTHER" not in lines[1]


def test_settings_come_first(place: StageSite, runner: CommandRunner) -> None:
    place.workspace.root.make_dirs("src")
    _, lines = work(place, runner, model="another", workdir="src")
    assert lines[0].startswith("['another', 'free', ''] src ")

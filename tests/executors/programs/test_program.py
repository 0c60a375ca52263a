"""Agents that are programs: started, followed, read and judged in one way."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from custody.executors.agents import AgentContext
from custody.executors.commands import CommandRunner
from custody.executors.programs.program import (
    OUTPUT_LIMIT,
    AgentProgram,
    ProgramRunner,
    limits_of,
    plain_program,
    told,
    unreached_hint,
)
from custody.executors.programs.read_scope import ReadScope
from custody.executors.programs.reply import Reply, TextReader
from custody.executors.settings import Settings
from custody.model.confinement import Confined
from custody.model.request import Ack, Usage
from custody.supervise.supervisor import Limits
from support.processes import LOSES_ITS_SERVER, server_killed
from support.stages import StageSite, agent_request, named

LONG = Limits(timeout=60)
ANY = ReadScope(hidden=())


class Lines:
    """Keeps every line, and says what it was told to say."""

    def __init__(self, reply: Reply) -> None:
        self.lines: list[bytes] = []
        self._reply = reply

    def line(self, data: bytes) -> None:
        self.lines.append(data)

    def reply(self) -> Reply:
        return self._reply


def program(text: str, **fields: Any) -> AgentProgram:
    settings = {"limits": LONG, "variables": {}, "sees": ANY, **fields}
    return AgentProgram(name="mine", argv=("sh", "-c", text), **settings)


def work(
    place: StageSite, runner: CommandRunner, started: AgentProgram, reply: Reply | None = None
) -> Ack:
    stage = place.stage()
    stage.folder.write("prompt.md", "Do it.")
    reader = TextReader() if reply is None else Lines(reply)
    return ProgramRunner(runner).work(started, agent_request("mine"), stage, reader)


def test_everything_about_it_is_evidence(place: StageSite, runner: CommandRunner) -> None:
    ack = work(place, runner, program('cat; echo " $OWN"', variables={"OWN": "mine"}))
    left = named(ack.evidence)
    assert set(left) == {
        "response.md", "mine.args.txt", "mine.stdout.log", "mine.stderr.log", "mine.log.jsonl",
    }  # fmt: skip
    assert place.read(left["response.md"]) == "Do it. mine\n"
    assert place.read(left["mine.args.txt"]) == "sh -c 'cat; echo \" $OWN\"'\n"
    logged = [json.loads(line) for line in place.read(left["mine.log.jsonl"]).splitlines()]
    assert [entry["event"] for entry in logged] == ["agent.start", "agent.completion"]


def test_output_is_cut_into_lines(place: StageSite, runner: CommandRunner) -> None:
    reader = Lines(Reply(text="said", usage=Usage(input_tokens=3), notes="n"))
    stage = place.stage()
    stage.folder.write("prompt.md", "")
    started = program("printf 'one\\ntwo\\nhalf'; echo no >&2")
    ack = ProgramRunner(runner).work(started, agent_request("mine"), stage, reader)
    assert reader.lines == [b"one", b"two", b"half"]
    assert (ack.usage, ack.notes) == (Usage(input_tokens=3), "n")
    assert place.read(named(ack.evidence)["response.md"]) == "said\n"


@pytest.mark.parametrize(
    ("text", "reply", "reason"),
    [
        ("exit 0", Reply(), ""),
        ("exit 3", Reply(), "agent_exit_code_3"),
        ("exit 3", Reply(error="no key"), "agent_exit_code_3: no key"),
        ("exit 0", Reply(error="no key"), "agent_error: no key"),
        (LOSES_ITS_SERVER, Reply(error="x"), "supervisor_lost"),
    ],
)
def test_how_it_ended(
    place: StageSite, runner: CommandRunner, text: str, reply: Reply, reason: str
) -> None:
    with server_killed(place.workspace.path):
        ack = work(place, runner, program(text), reply)
    assert (ack.status, ack.failure_reason) == ("failed" if reason else "ok", reason)
    assert bool(ack.failure_summary) is bool(reason)


def test_one_that_is_late(place: StageSite, runner: CommandRunner) -> None:
    ack = work(place, runner, program("echo on; sleep 600", limits=Limits(timeout=60, quiet=0.2)))
    assert (ack.status, ack.failure_reason) == ("timeout", "inactivity")


@pytest.mark.req("U-03")
def test_a_limit_that_ends_it_is_told_with_its_setting(
    place: StageSite, runner: CommandRunner
) -> None:
    silent = program("echo on; sleep 600", limits=Limits(timeout=60, quiet=0.2))
    told = work(place, runner, silent).failure_summary
    assert "0.2s without output, processor time or traffic" in told
    assert "set mine.inactivity on the node, or CUSTODY_MINE_INACTIVITY" in told
    slow = program("sleep 600", limits=Limits(timeout=0.3))
    assert "set mine.timeout on the node" in work(place, runner, slow).failure_summary


@pytest.mark.req("U-03")
def test_the_limit_of_silence_is_a_quarter_of_an_hour() -> None:
    assert limits_of(Settings("a", {}, {}), agent_request("a")).quiet == 15 * 60


def test_one_that_is_missing_is_told_with_a_hint(place: StageSite, runner: CommandRunner) -> None:
    started = program("", hint="npm install it")._replace(argv=("no-such-agent",))
    ack = work(place, runner, started)
    assert ack.failure_reason == "agent_not_found: no-such-agent"
    assert ack.failure_summary.endswith("npm install it")


def test_what_it_may_reach() -> None:
    made = program("", reach=("a:1",), home="/home/x", changeable=("src",), own_sandbox="none")
    access = made.access(agent_request("mine"))
    assert (access.network, access.reach, access.writable) == ("none", ("a:1",), ("/home/x",))
    assert (access.changeable, access.own_sandbox) == (("src",), "none")
    said = made.access(agent_request("mine", network=("host",)))
    assert (said.network, said.reach) == ("host", ()), "the node comes first"
    document = made.access(agent_request("mine", output_path="docs/a.md"))
    assert document.changeable == (), "a document is all that it is asked for"


def test_limits_are_settings() -> None:
    settings = Settings("a", {"a.timeout": "5s", "a.inactivity": "0"}, {})
    limits = limits_of(settings, agent_request("a", timeout=60.0))
    assert (limits.timeout, limits.quiet, limits.output) == (5, math.inf, OUTPUT_LIMIT)
    assert told(limits) == {"timeout": 5, "inactivity": None, "heartbeat": limits.heartbeat}


def test_a_program_of_which_nothing_is_known(runner: CommandRunner) -> None:
    context = AgentContext(
        name="mine",
        runner=lambda: runner,
        environment={"KEY": "k", "OTHER": "o"},
        sessions=lambda: pytest.fail("a session is opened"),
    )
    request = agent_request("mine", settings={"mine.env": "KEY"})
    made = plain_program(("prog", "x"), request, context)
    assert (made.name, made.argv, made.variables) == ("mine", ("prog", "x"), {"KEY": "k"})


@pytest.mark.parametrize(
    ("confined", "said"),
    [
        (None, ""),
        (Confined(level="L3"), ""),
        (Confined(level="L3", reach=("a:1", "b:2"), reached=("a:1",)), ""),
        (
            Confined(level="L2", reach=("a:1", "b:2")),
            "\nit reached none of its servers: a:1, b:2",
        ),
    ],
)
def test_a_program_that_came_to_no_server_says_which(confined: Confined | None, said: str) -> None:
    assert unreached_hint(confined) == said

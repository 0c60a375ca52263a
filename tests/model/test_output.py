"""What the commands of a stage left."""

from __future__ import annotations

from custody.model.evidence import Evidence
from custody.model.output import Output, output_named
from custody.model.request import Ack


def evidence(name: str) -> Evidence:
    return Evidence.of_text(f"nodes/n/1.1/{name}", name)


def test_a_tools_streams_are_found() -> None:
    out, err = evidence("tool.stdout.log"), evidence("tool.stderr.log")
    ack = Ack(request_id="n/1.1", status="ok", exit_code=3, evidence=(out, err))
    assert Output.of(ack) == Output(exit_code=3, stdout=out, stderr=err)


def test_of_several_commands_the_last_counts() -> None:
    streams = [
        evidence(f"verification.{n}.std{end}.log") for n in (1, 12) for end in ("out", "err")
    ]
    found = Output.of(Ack(request_id="n/1.1", status="ok", exit_code=0, evidence=(*streams,)))
    assert found == Output(exit_code=0, stdout=streams[2], stderr=streams[3])


def test_an_agent_leaves_no_commands_output() -> None:
    agent = (evidence("codex.stdout.log"), evidence("response.md"), evidence("mytool.stdout.log"))
    assert Output.of(Ack(request_id="n/1.1", status="ok", exit_code=0, evidence=agent)) is None


def test_names_are_told_apart_at_their_last_dot() -> None:
    assert output_named("a.b.exit_code") == ("a.b", "exit_code")
    assert output_named("a.stdout") == ("a", "stdout")
    assert [output_named(name) for name in ("stdout", ".stdout", "a.stdin", "a")] == [None] * 4

"""From a request's JSON to what was asked, and from a turn to the JSON of the answer."""

from __future__ import annotations

from typing import Any

import pytest

from custody.testing import wires
from custody.testing.script import Script, Turn
from custody.testing.wires import Wire, reply_to

SCRIPT = Script.of(Turn(say="Done."))
WIRES = [name for name, value in vars(wires).items() if isinstance(value, Wire)]


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "parameters": {"properties": properties}}


@pytest.mark.parametrize(
    ("tools", "arguments"),
    [
        ([tool("exec_command", cmd={})], {"cmd": "ls"}),
        ([tool("shell", command={"type": "array"})], {"command": ["sh", "-c", "ls"]}),
        (
            [{"function": tool("bash", command={"type": "string"})}],
            {"command": "ls", "description": "Run what the script says"},
        ),
        ([tool("read_file")], None),
        ([], None),
    ],
)
def test_a_command_is_meant_for_the_shell_that_is_offered(
    tools: list[dict[str, Any]], arguments: dict[str, Any] | None
) -> None:
    reply = reply_to({"tools": tools}, Turn(run="ls"), SCRIPT, 0)
    assert (reply.call.arguments if reply.call else None) == arguments


def test_the_model_is_the_one_that_was_asked() -> None:
    assert reply_to({"model": "m"}, Turn(), SCRIPT, 0).model == "m"
    assert reply_to({}, Turn(), SCRIPT, 0).model == SCRIPT.model


def protocols() -> dict[str, Wire]:
    """Return every wire, wherever it is kept."""
    found = {name: getattr(wires, name) for name in WIRES}
    for value in vars(wires).values():
        if isinstance(value, dict):
            found |= {key: each for key, each in value.items() if isinstance(each, Wire)}
    return found


@pytest.mark.parametrize("name", protocols())
def test_a_whole_answer_and_a_streamed_one_say_the_same(name: str) -> None:
    wire = protocols()[name]
    reply = reply_to({"model": "m"}, Turn(say="All of it, piece by piece."), SCRIPT, 2)
    assert "All of it, piece by piece." in str(wire.whole(reply))
    streamed = str(list(wire.stream(reply)))
    assert "All of it" in streamed
    assert str(SCRIPT.output_tokens) in streamed


@pytest.mark.parametrize("name", protocols())
def test_a_conversation_without_results(name: str) -> None:
    assert protocols()[name].results({}) == 0

"""What templates and conditions ask of the commands of other nodes."""

from __future__ import annotations

import pytest

from custody.handlers import catalog
from custody.model.finding import Finding
from custody.pipeline.read import read_pipeline

BODY = """digraph g {{
    start [shape=Mdiamond]; done [shape=Msquare]; bad [shape=Msquare, status=fail]
    test [type=tool, tool_command="x"]
    fix [prompt="{prompt}"]
    last [type=tool, tool_command="x"]
    start -> test
    test -> done [condition="outcome=success"]
    test -> fix [condition="{condition}"]
    fix -> last -> bad
}}
"""


def findings(prompt: str = "x", condition: str = "outcome=fail") -> list[Finding]:
    text = BODY.format(prompt=prompt, condition=condition)
    return [*read_pipeline(text.encode(), catalog())[1]]


@pytest.mark.req("U-16")
@pytest.mark.parametrize(
    ("prompt", "condition"),
    [
        ("${test.stdout} ${test.stderr} ${test.exit_code}", "outcome=fail"),
        ("${doc:docs/${test.exit_code}.md}", "test.exit_code=2 && outcome=fail"),
        ("x", "test.exit_code!=0"),
    ],
)
def test_a_node_that_has_run_may_be_asked(prompt: str, condition: str) -> None:
    assert findings(prompt, condition) == []


@pytest.mark.req("U-16")
@pytest.mark.parametrize(
    ("prompt", "condition", "message", "hint"),
    [
        ("${tset.stdout}", "outcome=fail",
         "prompt asks for 'tset.stdout', and there is no such node", "did you mean 'test'?"),
        ("${far.stdout}", "outcome=fail",
         "prompt asks for 'far.stdout', and there is no such node",
         "for a variable of that name: var.far.stdout=…"),
        ("${fix.stdout}", "outcome=fail",
         "prompt asks for 'fix.stdout', but the node runs no command",
         "these do: tool, verification, verify"),
        ("${last.stdout}", "outcome=fail",
         "'last' can never have run by then, so 'last.stdout' is empty",
         "no way leads from it to 'fix'"),
        ("x", "tset.exit_code=1",
         "condition asks for 'tset.exit_code', and there is no such node", "did you mean 'test'?"),
        ("x", "last.exit_code=1",
         "'last' can never have run by then, so 'last.exit_code' is empty",
         "no way leads from it to 'test'"),
        ("x", "test.exit_code=no", "an exit code is a number, not 'no'", "write 0 to 255"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_found(
    prompt: str, condition: str, message: str, hint: str
) -> None:
    (finding,) = [each for each in findings(prompt, condition) if each.severity == "error"]
    assert (finding.message, finding.hint) == (message, hint)


def test_a_variable_may_not_hide_a_node() -> None:
    text = BODY.format(prompt="${far.stdout}", condition="outcome=fail")
    known = text.replace("start [", 'graph [var.far.stdout="x"]\n start [', 1)
    assert read_pipeline(known.encode(), catalog())[1] == ()
    hidden = text.replace("start [", 'graph [var.test.stdout="x"]\n start [', 1)
    (finding, *_) = read_pipeline(hidden.encode(), catalog())[1]
    assert finding.message == "'test.stdout' already means what node 'test' leaves"

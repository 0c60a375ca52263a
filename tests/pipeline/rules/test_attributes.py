"""Names, kinds and ranges of attributes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from custody.model.finding import Finding
from custody.model.graph import Pipeline

Read = Callable[[str], tuple[Pipeline | None, tuple[Finding, ...]]]

BODY = "digraph g {{ start [shape=Mdiamond]; done [shape=Msquare]\n{}\nstart -> a -> done }}"


@pytest.mark.parametrize(
    "text",
    [
        'a [prompt="x", label=b, max_visits=3, max_retries=0, retry_delay=250ms]',
        'a [allow_partial=true, timeout="15m", allowed_write_paths="src/,b.txt"]',
        'a [max_retries="2", allow_partial="false", timeout=90, color=red]',
        'a [limits.memory=512M, limits.written="4G", limits.file_size=65536, limits.files=0]',
        "a; limits.memory=4G; limits.processes=8",
        'a [test.outcome=fail, test.anything="x"]',
        'a [type=tool, tool_command="x", ratio_of_x=1]',
        'a [type=tool, tool_command="x", ratio_of_x=0.5]',
        'a [type=verification, verification.workdir="src"]',
        "a; rankdir=LR; label=x; max_steps=10; var.lang=py; var.n=3; bgcolor=white",
        'a; edge [weight=2, label=x, color=red, condition="outcome=success"]',
        "node [prompt=x, tool_command=y, style=filled]; a",
        'a [cat.lives=9, cat.mood=good, cat.foes="dog, ,bird", cat.dens="a/, b"]',
        'node [cat.lives=9, dog.leash_length=2]; a [type=tool, tool_command="x"]',
        'node [verification.workdir="src"]; a',
    ],
)
def test_known_attributes_with_good_values_are_silent(text: str, read: Read) -> None:
    pipeline, findings = read(BODY.format(text))
    assert findings == ()
    assert pipeline is not None


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a [max_retries=x]", 16, "max_retries must be a whole number, not 'x'"),
        ("a [max_retries=0.5]", 16, "max_retries must be a whole number, not '0.5'"),
        ("a [max_retries=true]", 16, "max_retries must be a whole number, not 'true'"),
        ("a [max_retries=5s]", 16, "max_retries must be a whole number, not '5s'"),
        ("a [max_retries=-1]", 16, "max_retries must lie between 0 and 100, not -1"),
        ('a [max_retries="-1"]', 16, "max_retries must lie between 0 and 100, not -1"),
        ("a [max_retries=101]", 16, "max_retries must lie between 0 and 100, not 101"),
        ("a [max_visits=0]", 15, "max_visits must lie between 1 and 1000000, not 0"),
        ("a; max_steps=0", 14, "max_steps must lie between 1 and 10000000, not 0"),
        ("a; max_steps=many", 14, "max_steps must be a whole number, not 'many'"),
        ("a [timeout=0]", 12, "timeout must lie between 1ms and 30d, not 0"),
        ("a [timeout=31d]", 12, "timeout must lie between 1ms and 30d, not 31d"),
        ("a [timeout=-1]", 12, "timeout must be a duration such as 90s or 15m, not '-1'"),
        ("a [timeout=soon]", 12, "timeout must be a duration such as 90s or 15m, not 'soon'"),
        ("a [timeout=true]", 12, "timeout must be a duration such as 90s or 15m, not 'true'"),
        ("a [limits.memory=1K]", 18, "limits.memory must lie between 1M and 1024T, not 1K"),
        ("a [limits.memory=x]", 18, "limits.memory must be a size such as 512M or 4G, not 'x'"),
        ("a [limits.files=4G]", 17, "limits.files must be a whole number, not '4G'"),
        ("a [allow_partial=yes]", 18, "allow_partial must be true or false, not 'yes'"),
        ("a [allow_partial=1]", 18, "allow_partial must be true or false, not '1'"),
        ("a [prompt=true]", 11, "prompt must be a text, not 'true'"),
        ("a [prompt=15m]", 11, "prompt must be a text, not '15m'"),
        ("a [label=0.5]", 10, "label must be a text, not '0.5'"),
        ("a [allowed_write_paths=true]", 24,
         "allowed_write_paths must be a text with commas between its entries, not 'true'"),
        ("a [test.outcome=true]", 17, "test.outcome must be a text, not 'true'"),
        ("a [type=tool, tool_command=x, ratio_of_x=y]", 42, "ratio_of_x must be a number, not 'y'"),
        ("a [type=tool]", 1, "node 'a' of type tool needs 'tool_command'"),
        ('a [type=tool, tool_command=" "]', 28, "node 'a' of type tool needs 'tool_command'"),
        ("a; a -> a [weight=x]", 19, "weight must be a whole number, not 'x'"),
        ("a; a -> a [weight=true]", 19, "weight must be a whole number, not 'true'"),
        ("a; a -> a [condition=true]", 22, "condition must be a text, not 'true'"),
        ("a; goal=true", 9, "goal must be a text, not 'true'"),
        ("a [cat.lives=many]", 14, "cat.lives must be a whole number, not 'many'"),
        ("a [cat.mood=fine]", 13, "cat.mood must be one of good, bad, not 'fine'"),
        ("a [cat.mood=3]", 13, "cat.mood must be one of good, bad, not '3'"),
        ('a [cat.foes="dog,mouse"]', 13, "cat.foes must be one of dog, bird, not 'mouse'"),
        ("a; var.goal=x", 13, "'goal' already means something in templates"),
        ("a; var.run_id=x", 15, "'run_id' already means something in templates"),
        ("a; var.1=x", 10, "'1' cannot stand in a template"),
        ("a; var.=x", 9, "'' cannot stand in a template"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_an_error_at_its_place(
    text: str, column: int, message: str, read: Read
) -> None:
    pipeline, findings = read(BODY.format(text))
    assert pipeline is None
    assert [(f.code, f.line, f.column, f.message) for f in findings if f.severity == "error"] == [
        ("attribute", 2, column, message)
    ]


@pytest.mark.req("U-01")
@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        ("a [promt=x]", 4, "type codergen knows no attribute 'promt'", "did you mean 'prompt'?"),
        ('a ["promt" = x]', 4, "type codergen knows no attribute 'promt'",
         "did you mean 'prompt'?"),
        ("a [promt /* : */ = x]", 20, "type codergen knows no attribute 'promt'",
         "did you mean 'prompt'?"),
        ("a [tool_command=x]", 4, "type codergen knows no attribute 'tool_command'",
         "type tool knows it"),
        ("a [model=x]", 4, "type codergen knows no attribute 'model'",
         "Graphviz knows it on a graph only"),
        ('a; a -> a [condition="outcome=fail", rankdir=LR]', 38,
         "an edge knows no attribute 'rankdir'",
         "Graphviz knows it on a graph only"),
        ("a [max_retry=1]", 4, "type codergen knows no attribute 'max_retry'",
         "did you mean 'max_retries'?"),
        ("a [labelfont=x]", 4, "type codergen knows no attribute 'labelfont'",
         "did you mean 'label'?"),
        ('a; a -> a [condition="outcome=fail", conditon=x]', 38,
         "an edge knows no attribute 'conditon'",
         "did you mean 'condition'?"),
        ("a; gaol=x", 4, "a graph knows no attribute 'gaol'", "did you mean 'goal'?"),
        ("a [cat.live=1]", 4, "type codergen knows no attribute 'cat.live'",
         "did you mean 'cat.lives'?"),
        ("a [dog.leash_lengt=1]", 4, "type codergen knows no attribute 'dog.leash_lengt'",
         "did you mean 'dog.leash_length'?"),
        ("a [cats.mood=bad]", 4, "type codergen knows no attribute 'cats.mood'",
         "did you mean 'cat.mood'?"),
        ("a [type=tool, tool_command=x, cat.mood=bad]", 31,
         "type tool knows no attribute 'cat.mood'", "type codergen knows it"),
        ("a [verification.lives=9]", 4,
         "type codergen knows no attribute 'verification.lives'", ""),
        ('node [promt=x]; a; b; a -> b -> a [condition="outcome=fail"]', 7,
         "type codergen knows no attribute 'promt'",
         "did you mean 'prompt'?"),
    ],
)  # fmt: skip
def test_an_unknown_attribute_is_named_once_with_the_nearest_one(
    text: str, column: int, message: str, hint: str, read: Read
) -> None:
    pipeline, findings = read(BODY.format(text))
    assert pipeline is None
    (finding,) = findings
    assert (finding.code, finding.severity) == ("unknown_attribute", "error")
    assert (finding.line, finding.column) == (2, column)
    assert (finding.message, finding.hint) == (message, hint)


@pytest.mark.parametrize(("entry", "code"), [("../x", "traversal"), ("/etc", "absolute")])
def test_a_path_that_leaves_the_workspace_is_found(entry: str, code: str, read: Read) -> None:
    pipeline, findings = read(BODY.format(f'a [cat.dens="src, {entry}"]'))
    assert pipeline is None
    assert [(f.code, f.line, f.column) for f in findings] == [(code, 2, 13)]
    assert findings[0].message.startswith("cat.dens: ")


def test_a_handlers_own_check_is_asked(read: Read) -> None:
    _, (finding,) = read(BODY.format('a [type=tool, tool_command="sudo x"]'))
    assert (finding.code, finding.line, finding.column) == ("sudo", 2, 28)


def test_a_handlers_own_check_is_not_asked_about_values_of_the_wrong_kind(read: Read) -> None:
    _, findings = read(BODY.format('a [type=tool, tool_command="sudo x", ratio_of_x=much]'))
    assert [finding.code for finding in findings] == ["attribute"]

"""Conditions, templates, allowlists and hidden characters in a pipeline."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from custody.model.finding import Finding
from custody.model.graph import Pipeline

Read = Callable[[str], tuple[Pipeline | None, tuple[Finding, ...]]]

BODY = "digraph g {{ start [shape=Mdiamond]; done [shape=Msquare]\n{}\nstart -> a -> done }}"


@pytest.mark.req("P-03")
@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("outcome=maybe", "no outcome is called 'maybe'"),
        ("outcome=", "'outcome=' has no value"),
        (" ", "a clause is missing"),
        ("outcome=fail && outcome=success", "'outcome=fail && outcome=success' can never hold"),
        ("context.x=1 && context.x!=1", "'context.x=1 && context.x!=1' can never hold"),
    ],
)
def test_a_condition_that_cannot_hold_is_refused(condition: str, message: str, read: Read) -> None:
    _, (finding,) = read(BODY.format(f'a; a -> done [condition="{condition}"]'))
    assert (finding.code, finding.line, finding.column) == ("condition", 2, 25)
    assert finding.message == message
    assert finding.hint


def test_an_empty_condition_is_none(read: Read) -> None:
    pipeline, findings = read(
        BODY.format('a; b; start -> b [condition="context.x=1"]; b -> a [condition=""]')
    )
    assert pipeline is not None
    assert findings == ()


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ('a [prompt="$goal ${goal} ${run_id} $5 $x $$"]', []),
        ('var.lang=py; a [prompt="${lang}"]', []),
        ('a [prompt="${lang}"]; var.lang=py', []),
        ('a [prompt="${b} ${a} ${b}"]',
         ["prompt needs 'a', which has no value", "prompt needs 'b', which has no value"]),
        ('a [prompt="${HOME}/x"]', ["prompt needs 'HOME', which has no value"]),
        ('a [prompt="${x:-y}"]', ["prompt holds '${' without a name and '}'"]),
        ('a [prompt="cut ${"]', ["prompt holds '${' without a name and '}'"]),
        ('a [prompt="$${x}"]', []),
    ],
)  # fmt: skip
def test_every_name_in_a_template_needs_a_value(text: str, messages: list[str], read: Read) -> None:
    _, findings = read(BODY.format(text))
    assert [finding.message for finding in findings] == messages
    assert {finding.code for finding in findings} <= {"template"}


def test_the_nearest_name_is_told(read: Read) -> None:
    _, (finding,) = read(BODY.format('var.language=py; a [prompt="${langauge}"]'))
    assert finding.hint == "did you mean 'language'?"


@pytest.mark.req("P-05")
@pytest.mark.parametrize(
    ("paths", "codes"),
    [
        ("src/", []),
        ("src/, docs/a.md , b", []),
        ("/etc/", ["absolute"]),
        ("src/,..", ["traversal"]),
        ("src/../x", ["traversal"]),
        ("", ["empty"]),
        ("src/,,docs/", ["empty"]),
        ("src/,", ["empty"]),
        (".", ["too_broad"]),
        ("*", ["glob"]),
        ("src//", ["noncanonical"]),
        ("~/x", ["tilde"]),
        ("/a, ../b, c, ~", ["absolute", "tilde", "traversal"]),
        ("workspace/src/", ["workspace_prefix"]),
    ],
)
def test_every_bad_entry_of_an_allowlist_is_found(paths: str, codes: list[str], read: Read) -> None:
    _, findings = read(BODY.format(f'a [allowed_write_paths="{paths}"]'))
    assert [finding.code for finding in findings] == codes
    assert all((finding.line, finding.column) == (2, 24) for finding in findings)


@pytest.mark.req("P-05")
def test_a_workspace_prefix_is_taken_as_written_and_warned_about(read: Read) -> None:
    pipeline, (finding,) = read(BODY.format('a [allowed_write_paths="workspace/a.py"]'))
    assert pipeline is not None
    assert finding.severity == "warning"
    assert finding.hint == "paths begin in the workspace: write 'a.py'"


@pytest.mark.parametrize("text", ['a [prompt="x\u202ey"]', "a // \u2066 hidden", "a /* \u200f */"])
def test_characters_that_hide_the_order_of_a_text_are_named(text: str, read: Read) -> None:
    pipeline, (finding,) = read(BODY.format(text))
    assert pipeline is not None
    assert (finding.code, finding.severity, finding.line) == ("bidi", "warning", 2)
    assert finding.message.startswith("U+20")

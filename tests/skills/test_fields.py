from __future__ import annotations

import pytest

from custody.skills.fields import TEXT_LIMIT, Fields, Findings
from custody.skills.yaml_nodes import read_yaml


def fields(text: str) -> tuple[Fields, Findings]:
    node = read_yaml(text.encode()).node
    assert node is not None
    findings = Findings()
    return Fields(node, "", findings), findings


def test_each_kind_of_field() -> None:
    read, findings = fields(
        "a: x\nb: [1, 2.5e3]\nc: {d: true}\ne: [{f: y}, {f: z}]\ng: [p, q]\nh: 7"
    )
    assert read.text("a") == "x"
    inner = read.mapping("c")
    assert inner is not None
    assert inner.switch("d", default=False)
    assert inner.switch("missing", default=True)
    assert [entry.text("f") for entry in read.entries("e")] == ["y", "z"]
    assert read.texts("g") == ("p", "q")
    assert read.number("h") == 7
    assert read.number("missing") is None
    assert [(key, place.line) for key, place, _ in fields("k: {}\nl: {}")[0].pairs()] == [
        ("k", 1),
        ("l", 2),
    ]
    assert findings.found == []


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("{}", "missing", "the field 'a' is missing"),
        ("a: 1", "type", "'a' is the integer 1, not a text"),
        ("a: [b]", "type", "'a' is a list, not a text"),
        ("a:", "type", "'a' is nothing, not a text"),
        ("a: ''", "empty", "'a' says nothing"),
        ('a: "\\e[31m"', "control", "U+001B stands in 'a'"),
        (f"a: {'x' * (TEXT_LIMIT + 1)}", "too_large", "'a' has more than 4000 characters"),
    ],
)
def test_a_text_that_is_none(text: str, code: str, message: str) -> None:
    read, findings = fields(text)
    assert read.text("a", needed=True) is None
    assert [(found.code, found.message) for found in findings.found] == [(code, message)]


def test_a_text_of_several_lines_is_taken_where_that_is_said() -> None:
    read, findings = fields("a: |\n  one\n  two\n")
    assert read.text("a", lines=True) == "one\ntwo\n"
    assert read.text("a") is None
    assert [found.code for found in findings.found] == ["control"]


def test_what_is_not_quoted_is_told_how_to_be() -> None:
    read, findings = fields("a: 1.10")
    read.text("a")
    assert findings.found[0].hint == 'put it into quotes: "1.10"'


def test_what_nobody_sees_is_told_of_an_unknown_field_too() -> None:
    read, findings = fields('nmae: "a\\nb"\nvresion: "a\\0"\nname: "\\0"\n')
    read.only(("name", "version"))
    codes = [found.code for found in findings.found]
    assert codes == ["unknown_field", "unknown_field", "control"]


def test_an_unknown_field_is_told_with_the_one_that_was_meant() -> None:
    read, findings = fields("nmae: x")
    read.only(("name", "version"))
    (found,) = findings.found
    assert (found.code, found.hint, found.line) == ("unknown_field", "did you mean 'name'?", 1)


def test_what_is_no_mapping_is_told_once() -> None:
    read, findings = fields("[a]")
    read.only(("name",))
    assert read.text("name", needed=True) is None
    assert [found.message for found in findings.found] == [
        "'the document' is a list, not a mapping"
    ]


@pytest.mark.parametrize(
    "text", ["0x10", "010", "1_0", "+1", ".5", "1:30", ".inf", ".nan", "1e999"]
)
def test_a_number_that_is_read_in_several_ways_is_refused(text: str) -> None:
    read, findings = fields(f"a: {text}")
    assert read.number("a") is None
    assert {found.code for found in findings.found} <= {"number", "type"}
    assert len(findings.found) == 1


def test_a_list_has_its_entries() -> None:
    read, findings = fields("a: [x]\nb: c")
    assert len(read.items("a", least=2)) == 1
    assert read.items("b") == []
    assert [found.message for found in findings.found] == [
        "'a' has 1 entries, and needs 2",
        "'b' is the text c, not a list",
    ]

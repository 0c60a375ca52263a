from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from custody.skills.yaml_nodes import NODE_LIMIT, SIZE_LIMIT, YamlNode, described, read_yaml


def codes(data: bytes) -> list[tuple[str, int]]:
    return [(found.code, found.line) for found in read_yaml(data).findings]


@pytest.mark.req("S-12")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: \xe9".encode("latin-1"), [("encoding", 1)]),
        ("a: b".encode("utf-16"), [("encoding", 1)]),
        ("\ufeffa: b".encode(), [("encoding", 1)]),
        ("a: b\nc: \ud800".encode("utf-8", "surrogatepass"), [("encoding", 2)]),
        (b"a: b\nc: \x07", [("control", 2)]),
        (b'a: "\\ud800"', [("surrogate", 1)]),
        (b'a: "\\UFFFFFFFF"', [("syntax", 0)]),
        (b"%YAML 9" + b"9" * 5000 + b".1\n--- a", [("syntax", 0)]),
        (b"a: b\nc: [", [("syntax", 2)]),
        (b"\ta: b", [("syntax", 1)]),
        (b"--- a\n--- b", [("multi_doc", 2)]),
        (b"a: &x 1\nb: *x", [("yaml_alias", 1), ("yaml_alias", 2)]),
        (b"&x a: b", [("yaml_alias", 1)]),
        (b"--- &x\na: b", [("yaml_alias", 1)]),
        (b"a: !x b\nc: !!str d\ne: ! f", [("yaml_tag", 1), ("yaml_tag", 2), ("yaml_tag", 3)]),
        (b"!!python/object/apply:os.system ['id']", [("yaml_tag", 1)]),
        (b"<<: {a: b}", [("yaml_merge", 1)]),
        (b"%YAML 1.1\n--- a", [("yaml_directive", 1)]),
        (b"%TAG !e! tag:x,2000:\n--- a", [("yaml_directive", 1)]),
        (b"a: 1\nb: 2\na: 3", [("duplicate_key", 3)]),
        (b'a: 1\n"a": 3', [("duplicate_key", 2)]),
        (b"1: a\nno: b\n~: c\n[x]: d", [("type", n) for n in (1, 2, 3, 4)]),
        (b"- " * 33, [("too_deep", 1)]),
        (b"[" * 32 + b"]" * 32, []),
        (b"[" + b"a," * NODE_LIMIT + b"]", [("too_large", 1)]),
        (b"#" * (SIZE_LIMIT + 1), [("too_large", 0)]),
        (b"", []),
        (b"# nothing", []),
    ],
)
def test_what_is_refused(text: bytes, found: list[tuple[str, int]]) -> None:
    assert codes(text) == found


def test_nodes_know_what_they_are_and_where() -> None:
    node = read_yaml(b"a: [x, 1, 1.5, no, ~, 2026-01-31]\nb:\n  c: |\n    d\n    e\n").node
    assert node is not None
    assert (node.kind, node.line, node.column) == ("mapping", 1, 1)
    (_, items), (key, inner) = node.pairs["a"], node.pairs["b"]
    assert [item.kind for item in items.items] == [
        "text", "integer", "number", "boolean", "nothing", "other",
    ]  # fmt: skip
    assert (key.line, inner.line, inner.pairs["c"][1].text) == (2, 3, "d\ne\n")
    assert [described(item) for item in items.items] == [
        "the text x", "the integer 1", "the number 1.5", "the boolean no", "nothing",
        "a value of another kind",
    ]  # fmt: skip
    assert described(node) == "a mapping"


@pytest.mark.parametrize("text", ["1e3", "-1.5e3", ".5E10", "0o17", "+0o7", "1.e5"])
def test_what_is_a_number_in_some_versions_of_yaml_is_neither_that_nor_a_text(text: str) -> None:
    assert _only_value(f"a: {text}").kind == "other"
    assert _only_value(f"a: '{text}'").kind == "text"


@pytest.mark.parametrize("text", ["1.2.3", "e3", "1e", "0o", "0o8", "1e3x", "a 1e3"])
def test_what_only_begins_like_a_number_is_a_text(text: str) -> None:
    assert _only_value(f"a: {text}").kind == "text"


def _only_value(text: str) -> YamlNode:
    node = read_yaml(text.encode()).node
    assert node is not None
    return node.pairs["a"][1]


def plain(node: YamlNode) -> object:
    """Return what a node would be as an ordinary value."""
    if node.kind == "mapping":
        return {key: plain(value) for key, (_, value) in node.pairs.items()}
    if node.kind == "list":
        return [plain(item) for item in node.items]
    if node.kind == "text":
        return node.text
    return yaml.safe_load(node.text)


VALUES = st.recursive(
    st.text() | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.booleans(), st.booleans())
def test_what_yaml_writes_is_read_as_it_was(value: object, unicode: bool, flow: bool) -> None:
    text = yaml.safe_dump(value, allow_unicode=unicode, default_flow_style=flow)
    data = text.encode("utf-8", "surrogatepass")
    read = read_yaml(data)
    if read.node is not None and not read.findings:
        assert plain(read.node) == yaml.safe_load(text)
    assert {found.code for found in read.findings} <= {"control", "encoding", "yaml_alias"}

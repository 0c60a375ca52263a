"""No thread reads a kind of record that another one is only learning about: see `ready`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import codebase

READERS = {
    "msgspec.convert": 1,
    "msgspec.json.Decoder": 0,
    "msgspec.msgpack.Decoder": 0,
    "msgspec.json.decode": None,
}
"""What looks into a kind, and which argument it is; None for the one that is called ``type``."""
BUILT_IN = {"list[tuple[int, bytes]]"}
"""Kinds that there is nothing to learn about."""


def kinds(tree: ast.AST) -> Iterator[str]:
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or ast.unparse(call.func) not in READERS:
            continue
        place = READERS[ast.unparse(call.func)]
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        yield ast.unparse(named["type"] if place is None else call.args[place])


def test_whatever_reads_a_record_makes_its_kind_ready() -> None:
    found = {
        f"{path.relative_to(codebase.SOURCE)}: {kind}"
        for path in codebase.SOURCE.rglob("*.py")
        if path.name != "record.py"
        for kind in kinds(ast.parse(path.read_text()))
        if not kind.startswith("ready(") and kind not in BUILT_IN
    }
    assert found == set()


def test_what_would_be_found() -> None:
    read = "msgspec.json.decode(data, type=Named)\nmsgspec.json.Decoder(ready(Named))"
    assert [*kinds(ast.parse(read))] == ["Named", "ready(Named)"]

"""The schemas of everything that is written."""

from __future__ import annotations

from support.shell import Shell


def test_schema_lists_and_prints(custody: Shell) -> None:
    names = custody("schema").out.split()
    assert {"manifest", "event", "event.StageFailed"} <= set(names)
    assert custody("schema", "--json").data == names
    schema = custody("schema", "manifest")
    assert schema.data["$ref"] == "#/$defs/Manifest"
    assert custody("schema", "manifest", "--json").data == schema.data

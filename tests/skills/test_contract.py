from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import ContractInvalid
from custody.model.record import decode, encode
from custody.model.skill.contract import (
    CONTRACT_VERSIONS,
    Contract,
    ContractOutputs,
    ContractScript,
    RequiredOutput,
)
from custody.model.skill.metric import MetricRule
from custody.skills.contract import read_contract, sound_contract
from support.skills import FIRST, NEWEST


def codes(text: str) -> list[tuple[str, int]]:
    """Return what is found, with its lines."""
    read = read_contract(text.encode("utf-8", "surrogatepass"))
    assert (read.contract is None) == bool(read.findings)
    return [(found.code, found.line) for found in read.findings]


@pytest.mark.req("S-12", "S-18")
def test_a_contract_of_the_first_version() -> None:
    assert read_contract(FIRST.encode()).contract == Contract(
        schema_version="1.0",
        name="summary_health",
        version="1.2.0",
        tool="innovus",
        description="how healthy a design is",
        scripts=(ContractScript(name="run", entry="templates/run.tcl"),),
        outputs=ContractOutputs(
            required=(
                RequiredOutput(path="reports/summary.rpt", description="what people read"),
                RequiredOutput(path="reports/timing_*.rpt"),
            )
        ),
        debug_hints=("look at reports/", "look at the log"),
    )


@pytest.mark.req("S-12", "S-18")
def test_a_contract_of_the_newest_version() -> None:
    contract = sound_contract(NEWEST.encode(), where="contract.yaml")
    assert (contract.schema_version, contract.tool) == ("1.1", "opensta")
    assert contract.scripts[0].timeout_s == 90
    assert contract.error_patterns == ("^Error:",)
    assert contract.ignore_patterns == ("^Error: 0 found",)
    assert contract.metrics == {
        "wns": MetricRule(
            unit="ns", direction="higher", min=-100, max=100.5, description="worst slack"
        ),
        "cells": MetricRule(direction="lower", min=1),
        "top": MetricRule(description="the top module"),
    }
    assert decode(encode(contract), Contract, where="") == contract


@pytest.mark.req("S-12")
@pytest.mark.parametrize("field", ["schema_version", "name", "version", "tool"])
def test_every_field_that_must_be_there_is_asked_for(field: str) -> None:
    lines = [line for line in FIRST.splitlines() if not line.startswith(f"{field}:")]
    assert codes("\n".join(lines)) == [("missing", 1)]


@pytest.mark.req("S-12")
@pytest.mark.parametrize("field", ["scripts", "outputs", "debug_hints"])
def test_every_part_that_must_be_there_is_asked_for(field: str) -> None:
    without = re.sub(rf"(?m)^{field}:\n(?: .*\n)+", "", FIRST)
    assert codes(without) == [("missing", 1)]


@pytest.mark.req("S-12")
@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("scripts:\n  - name: run\n    entry: templates/run.tcl", "scripts: []", "too_few"),
        ("scripts:\n  - name: run\n    entry: templates/run.tcl", "scripts: x", "type"),
        ("outputs:", "outputs: x\nothers:", "type unknown_field"),
        ("  - look at the log\n", "", "too_few"),
        ("required:", "requires:", "unknown_field missing"),
        ("tool: innovus", "tool: Innovus", "tool"),
        ("tool: innovus", "tool: opensta", "needs_1_1"),
        ("tool: innovus", "tool: [innovus]", "type"),
        ('"1.0"', "1.0", "type"),
        ('"1.0"', '"2.0"', "schema_version"),
        ('"1.2.0"', "1.10", "type"),
        ('"1.2.0"', "2026-01-31", "type"),
        ('"1.2.0"', "", "type"),
        ('"1.2.0"', '" "', "empty"),
        ('"1.2.0"', '"1\\n2"', "control"),
        ('"1.2.0"', '"\\u202e1.2"', "control"),
        ("summary_health", "../x", "name"),
        ("summary_health", "no", "type"),
        ("name: run", "name: a b", "name"),
        ("templates/run.tcl", "/templates/run.tcl", "absolute"),
        ("templates/run.tcl", "templates/../../run.tcl", "traversal"),
        ("templates/run.tcl", "templates/run.sh", "not_tcl"),
        (
            "    entry: templates/run.tcl",
            "    entry: a.tcl\n  - {name: run, entry: b.tcl}",
            "duplicate",
        ),
        ("reports/summary.rpt", "../x", "traversal"),
        ("reports/summary.rpt", "/etc/passwd", "absolute"),
        ("reports/summary.rpt", "reports", "not_reports"),
        ("reports/summary.rpt", "report*/x", "not_reports"),
        ("reports/summary.rpt", "ack/x", "not_reports"),
        ("reports/summary.rpt", "reports/**/a/**/b", "glob"),
        ("reports/summary.rpt", "reports/{a,b}", "glob"),
        ("reports/summary.rpt", '"reports/timing_*.rpt"', "duplicate"),
        ("non_empty: true", "non_empty: yes", "type"),
        ("non_empty: true", 'non_empty: "false"', "type"),
        ("non_empty: true", "non_emtpy: true", "unknown_field"),
        ("how healthy a design is", f'"{"x" * 5000}"', "too_large"),
        ("  - look at reports/", "  - &hint look at reports/", "yaml_alias"),
        ("  - look at reports/", "  - !!str look at reports/", "yaml_tag"),
        ("description: how", "name: how", "duplicate_key"),
        ("description: how healthy a design is", "<<: {a: b}", "yaml_merge"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, found: str) -> None:
    assert FIRST.count(old) == 1
    line = FIRST[: FIRST.index(old)].count("\n") + 1
    told = codes(FIRST.replace(old, new))
    assert " ".join(code for code, _ in told) == found
    assert all(at in range(line - 1, line + 5) for _, at in told)


@pytest.mark.req("S-12", "S-18")
@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("timeout_s: 90", "timeout_s: 0", "range"),
        ("timeout_s: 90", "timeout_s: 1e400", "type"),
        ("timeout_s: 90", "timeout_s: .inf", "number"),
        ("timeout_s: 90", "timeout_s: 1:30", "number"),
        ("timeout_s: 90", "timeout_s: 0x5a", "number"),
        ("timeout_s: 90", "timeout_s: 9_0", "number"),
        ("timeout_s: 90", "timeout_s: 010", "number"),
        ("timeout_s: 90", 'timeout_s: "90"', "type"),
        ("timeout_s: 90", "timeout_s: true", "type"),
        ("min: -100", "min: 101", "range"),
        ("min: -100", "min: .nan", "number"),
        ("direction: higher", "direction: up", "direction"),
        ("direction: higher", "better: up", "unknown_field"),
        ("  wns:", "  a b:", "name"),
        ('"^Error:"', '"("', "pattern"),
        ('"^Error:"', '"x*"', "pattern"),
        ('"^Error:"', "[x]", "type"),
        ('"1.1"', '"1.0"', "needs_1_1 needs_1_1 needs_1_1 needs_1_1 needs_1_1"),
    ],
)
def test_what_is_wrong_with_a_newer_one(old: str, new: str, found: str) -> None:
    assert NEWEST.count(old) == 1
    assert " ".join(code for code, _ in codes(NEWEST.replace(old, new))) == found


@pytest.mark.req("S-12")
def test_everything_is_told_at_once() -> None:
    text = FIRST.replace("summary_health", "no").replace("innovus", "icc").replace("run.tcl", "run")
    text = text.replace("true", "1").replace("reports/timing", "../timing")
    assert [code for code, _ in codes(text)] == ["type", "tool", "not_tcl", "type", "traversal"]


def test_a_contract_that_is_none_is_an_error_of_its_own() -> None:
    with pytest.raises(ContractInvalid, match=r"2 findings; the first: c\.yaml:2:7 ") as caught:
        sound_contract(
            FIRST.replace("summary_health", "no").replace("innovus", "x").encode(), where="c.yaml"
        )
    assert caught.value.error_type == "CONTRACT_INVALID"
    assert len(caught.value.findings) == 2


JUNK = st.sampled_from(
    [
        "- ", "? ", ": ", "{", "}", "[", "]", "&a ", "*a ", "!!x ", "| ", "> ", "'", '"', "<<: ",
        "%YAML ", "---\n", "...\n", "\n", "  ", "#", "\t", "\\", "\ufeff", "\x00", "é", "1.10",
        "no", "~", ",", "schema_version: ",
        "outputs: ", "required: ", "path: ", "reports/x", "metrics: ",
    ]
)  # fmt: skip


@given(st.lists(JUNK | st.text(max_size=8), max_size=60).map("".join))
def test_any_text_is_read_or_refused_with_its_findings(text: str) -> None:
    read = read_contract(text.encode("utf-8", "surrogatepass"))
    assert read.contract is None
    assert read.findings
    encode(read.findings)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    assert read_contract(data).contract is None


NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,20}", fullmatch=True)
TEXTS = st.text(st.characters(categories=["L", "N", "P"], codec="utf-8"), min_size=1, max_size=20)
NUMBERS = st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6).map(lambda n: round(n, 3))


@st.composite
def contracts(draw: st.DrawFn) -> dict[str, object]:
    """Draw a contract that keeps every rule."""
    scripts = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    paths = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    low, high = sorted(draw(st.tuples(NUMBERS, NUMBERS)))
    return {
        "schema_version": "1.1",
        "name": draw(NAMES),
        "version": draw(TEXTS),
        "tool": draw(st.sampled_from(["innovus", "opensta", "yosys", "magic", "netgen", "tclsh"])),
        "description": draw(TEXTS),
        "scripts": [{"name": name, "entry": f"{name}.tcl"} for name in scripts],
        "outputs": {
            "required": [
                {"path": f"reports/{path}*", "non_empty": draw(st.booleans())} for path in paths
            ]
        },
        "debug_hints": draw(st.lists(TEXTS, min_size=2, max_size=4)),
        "metrics": {draw(NAMES): {"min": low, "max": high, "direction": "lower"}},
    }


@given(contracts(), st.booleans())
def test_every_sound_contract_is_read_as_it_is(value: dict[str, object], flow: bool) -> None:
    text = yaml.safe_dump(value, allow_unicode=True, default_flow_style=flow, sort_keys=False)
    read = read_contract(text.encode())
    assert read.findings == ()
    assert read.contract is not None
    plain = yaml.safe_load(text)
    assert read.contract.name == plain["name"]
    assert [script.name for script in read.contract.scripts] == [
        script["name"] for script in plain["scripts"]
    ]
    assert [out.non_empty for out in read.contract.outputs.required] == [
        out["non_empty"] for out in plain["outputs"]["required"]
    ]
    assert {name: (rule.min, rule.max) for name, rule in read.contract.metrics.items()} == {
        name: (rule["min"], rule["max"]) for name, rule in plain["metrics"].items()
    }


@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, "{a:" * 60_000, "- " * 100_000, "a: b\n" * 50_000, "[a," + "a," * 100_000],
)
def test_what_is_long_or_deep_is_over_soon(text: str) -> None:
    began = time.monotonic()
    assert codes(text)
    assert time.monotonic() - began < 10


SAMPLES = Path(__file__).parent / "contracts"


@pytest.mark.req("S-18")
@pytest.mark.parametrize("version", CONTRACT_VERSIONS)
def test_a_contract_of_each_version_means_what_it_always_did(version: str) -> None:
    """The samples stay as they are; what is read of them too, but for fields that are new since."""
    contract = sound_contract((SAMPLES / f"{version}.yaml").read_bytes(), where=version)
    told = json.loads((SAMPLES / f"{version}.json").read_text())
    assert contract.schema_version == version
    read = json.loads(encode(contract))
    assert read | told == read

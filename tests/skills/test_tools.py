"""Tools are started as documented, and what they say about an error is found in their logs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from custody.skills.tools import EXECUTOR, TOOLS
from support.resident import Resident

ERRORS = {
    "innovus": ("**ERROR: (IMPSYT-6692): Invalid return code", "  **FATAL: x", "#ERROR (NRDB-733)"),
    "opensta": ("Error: cell type nope can not be linked.", "Error 123: x"),
    "yosys": ("ERROR: Can't open input file", "a.v:3: ERROR: syntax error"),
    "magic": ("Error: x", "File nope.mag couldn't be read", "Usage: snap [internal]",
              "Cannot open nope.gds to read GDS-II stream input.", "Unrecognized layer: nolayer"),
    "netgen": ("Error in SPICE file read: No file nope.spice", "No such cell!"),
    "tclsh": (),
}  # fmt: skip
WELL = (
    "", "Errors: 0", "0 errors", "No errors found", "**WARN: (IMPLF-45): x", "Warning: x",
    "slack (MET)", "Number of errors = 0", "DRC error tile count: 0",
)  # fmt: skip
RESIDENTS = {
    "opensta": "link_design nope",
    "magic": "drc style nope",
    "netgen": "catch {netgen::readnet spice nope.spi}",
}
"""What a tool prints an error about, and goes on as if nothing had happened."""


def finds(tool: str, line: str) -> bool:
    """Whether a line of a tool's log is an error."""
    return any(re.search(pattern, line) for pattern in TOOLS[tool].error_patterns)


@pytest.mark.parametrize("tool", TOOLS)
def test_an_error_is_found_by_its_line(tool: str) -> None:
    assert [line for line in ERRORS[tool] if not finds(tool, line)] == []
    assert [line for line in WELL if finds(tool, line)] == []


@pytest.mark.parametrize("tool", TOOLS)
def test_the_page_says_how_it_is_started(tool: str, root: Path) -> None:
    page = (root / "docs/reference/tool-sessions.md").read_text()
    words = [word if " " not in word else f"'{word}'" for word in TOOLS[tool].argv("executor.tcl")]
    assert f"`{' '.join(words)}`" in page
    assert TOOLS[tool].argv() == (*TOOLS[tool].command, EXECUTOR)
    assert Path(EXECUTOR).is_file()


@pytest.mark.parametrize("tool", RESIDENTS)
def test_an_error_that_a_tool_only_prints_is_found(
    start: Callable[..., Resident], tool: str
) -> None:
    resident = start(tool)
    ack = resident.run(RESIDENTS[tool])
    assert ack["status"] == "PASS"
    lines = resident.said("stdout", ack["request_id"]).splitlines()
    lines += resident.said("stderr", ack["request_id"]).splitlines()
    assert any(finds(tool, line) for line in lines), lines


def test_a_yosys_command_that_fails_ends_the_tool(start: Callable[..., Resident]) -> None:
    resident = start("yosys")
    with pytest.raises(AssertionError, match="yosys has ended"):
        resident.run("yosys read_verilog nope.v")
    said = resident.stream("stdout").read_text() + resident.stream("stderr").read_text()
    assert any(finds("yosys", line) for line in said.splitlines())

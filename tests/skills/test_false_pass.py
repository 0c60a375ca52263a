"""A tool that prints an error and goes on as if nothing had happened has not passed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.jobs import CONTRACT, SCRIPT, JobSite

ERRORS = {
    "a design that is not there (OpenSTA)": ("opensta", "link_design nope"),
    "an error behind what a script prints (OpenSTA)": (
        "opensta", "puts -nonewline {linking ...}; flush stdout; link_design nope; puts done",
    ),
    "an error behind a line that is renewed (OpenSTA)": (
        "opensta", 'puts -nonewline "50%\\r"; flush stdout; link_design nope',
    ),
    "an error in a catch (OpenSTA)": ("opensta", "catch {link_design nope}"),
    "a sourced script that fails (OpenSTA)": (
        "opensta", "source [file join $env(SP_SCRIPTS_DIR) absent.tcl]",
    ),
    "a style that is not there (magic)": ("magic", "drc style nope"),
    "a file that is not there (magic)": ("magic", "gds read nope"),
    "a netlist that is not there (netgen)": ("netgen", "catch {netgen::readnet spice nope}"),
    "a command that ends the tool (yosys)": ("yosys", "yosys read_verilog nope.v"),
    "an error in a catch (yosys)": ("yosys", "catch {yosys read_verilog nope.v}"),
    "an exit with success (tclsh)": ("tclsh", "exit 0"),
    "an exit in an event (magic)": ("magic", "after 0 {exit 0}; update"),
    "an option that there is not (magic)": ("magic", "extract nosuch"),
    "a cell that is not there (magic)": ("magic", "cellname delete nope"),
    "an error in an event (netgen)": ("netgen", "after 0 {error late}; update"),
    "an error in an event (tclsh)": ("tclsh", "after 0 {error late}; update"),
    "an error on standard error (netgen)": ("netgen", "puts stderr {Error: no such thing}"),
}  # fmt: skip
"""The tool, and what its script does before it writes all the outputs that it should."""
PROGRAMS = {"opensta": "sta", "netgen": "netgen-lvs"}


@pytest.mark.req("S-15")
@pytest.mark.parametrize("error", ERRORS)
def test_it_is_reported(tmp_path: Path, error: str) -> None:
    tool, text = ERRORS[error]
    if shutil.which(PROGRAMS.get(tool, tool)) is None:
        pytest.skip(f"{tool} is not installed")
    site = JobSite(tmp_path)
    plain, _, _ = CONTRACT.partition("error_patterns:")
    rest = CONTRACT[CONTRACT.index("debug_hints:") :]
    site.contract((plain + rest).replace("tool: tclsh", f"tool: {tool}"))
    site.script(f"{text}\n{SCRIPT}")
    status, error_type = site.run().verdict
    assert status == "FAIL"
    assert error_type == ("INNOVUS_CRASH" if tool == "yosys" else "CMD_FAIL")


@pytest.mark.parametrize("tool", ["opensta", "magic", "netgen", "yosys", "tclsh"])
def test_one_that_prints_none_passes(
    tmp_path: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where paths are not as the authors of the tools have them."""
    if shutil.which(PROGRAMS.get(tool, tool)) is None:
        pytest.skip(f"{tool} is not installed")
    monkeypatch.setenv("LANG", "C.UTF-8")
    site = JobSite(tmp_path / "a b" / "h\u00e9 \u4e2d [x] $y {")
    site.contract(CONTRACT.replace("tool: tclsh", f"tool: {tool}"))
    site.script(f"puts {{Errors: 0}}\nputs stderr fine\n{SCRIPT}")
    assert site.run().verdict == ("PASS", "OK")

"""The scripts that a job writes, as Tcl reads them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from custody.skills.scripts import restore_wrapper, tcl_word
from support.programs import needs

pytestmark = pytest.mark.req("S-10")

NAMES = ["top", "a b", "a$b", "[exit 7]", 'say "hi"', "back\\slash", "{", "}", "a;b", "ünï", "#x"]


@needs("tclsh")
@pytest.mark.parametrize("name", NAMES)
def test_a_design_of_any_name_is_sourced_from_its_own_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / f"{name}.enc").write_text("puts [file tail [info script]]\nputs [pwd]\n")
    wrapper = tmp_path / "wrapper.tcl"
    wrapper.write_text(restore_wrapper(f"{folder}/{name}.enc"))
    said = subprocess.run(
        ["tclsh", "-encoding", "utf-8", str(wrapper)],
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (said.stdout.splitlines(), said.stderr) == ([f"{name}.enc", str(folder)], "")


@pytest.mark.parametrize("name", ["a\nb", "a\0b", "\x7f"])
def test_a_name_that_no_script_can_hold_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="control character"):
        tcl_word(name)

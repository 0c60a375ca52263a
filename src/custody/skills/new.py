"""The files of a new skill, which passes `check` and runs as it stands."""

from __future__ import annotations

from string import Template

from custody.errors import UsageError
from custody.model.record import encode_pretty
from custody.model.skill.contract import CONTRACT_FILE, TOOL_NAMES, ToolName
from custody.patterns import later
from custody.skills.check import README

_NAME = later(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_RUN = "templates/run.tcl"
_CONTRACT = Template("""\
schema_version: "1.1"
name: $name
version: "0.1.0"
tool: $tool
description: counts the variables of the tool, until you write what it is for
scripts:
  - name: run
    entry: templates/run.tcl
    timeout_s: 60
outputs:
  required:
    - path: reports/$name.rpt
      non_empty: true
      description: what people read
    - path: reports/metrics.json
      description: what runs are compared by
debug_hints:
  - look at what the tool printed, in session/
  - source the script by hand, with SP_REPORTS_DIR set to a folder of yours
error_patterns:
  - "^MISTAKE:"
metrics:
  variables:
    direction: none
    min: 1
    description: global variables of the tool
""").substitute
_SCRIPT = Template("""\
# Runs inside $tool, and leaves its files below SP_REPORTS_DIR. An error ends it and fails the job.
# A tool may print an error and go on: error_patterns of the contract name such lines.

set report [open [file join $$::env(SP_REPORTS_DIR) $name.rpt] w]
puts $$report "job       $$::env(SP_JOB_ID)"
puts $$report "variables [llength [info globals]]"
close $$report

::custody::write_metrics [dict create variables [llength [info globals]]]
""").substitute
_README = Template("""\
# $name

Runs in $tool. Say here what it needs, what it reports, and what its metrics mean.

    custody skill check $name
    custody skill run $name --design DESIGN
""").substitute
_EXPECTED = {"variables": 40}
"""What a run may leave, for tests that need no tool."""


def new_skill(name: str, tool: str) -> dict[str, bytes]:
    """Return the files of a skill by where they stand below its folder; raises `UsageError`."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a skill",
            hint="letters, digits, `_` and `-`, at most 64, beginning with a letter",
        )
    words = {"name": name, "tool": _tool(tool)}
    return {
        CONTRACT_FILE: _CONTRACT(words).encode(),
        _RUN: _SCRIPT(words).encode(),
        README: _README(words).encode(),
        "mock/metrics.json": encode_pretty(_EXPECTED),
    }


def _tool(word: str) -> ToolName:
    for name in TOOL_NAMES:
        if name == word:
            return name
    raise UsageError(f"no tool named {word!r}", hint=f"tools are {', '.join(TOOL_NAMES)}")

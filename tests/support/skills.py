"""Contracts to read, and parts of them to spoil."""

from __future__ import annotations

FIRST = """\
schema_version: "1.0"
name: summary_health
version: "1.2.0"
tool: innovus
description: how healthy a design is
scripts:
  - name: run
    entry: templates/run.tcl
outputs:
  required:
    - path: reports/summary.rpt
      non_empty: true
      description: what people read
    - path: "reports/timing_*.rpt"
debug_hints:
  - look at reports/
  - look at the log
"""
"""A contract as the protocol's first version has it."""

NEWEST = (
    FIRST.replace('"1.0"', '"1.1"')
    .replace("tool: innovus", "tool: opensta")
    .replace("templates/run.tcl", "templates/run.tcl\n    timeout_s: 90")
    + """\
error_patterns:
  - "^Error:"
ignore_patterns:
  - "^Error: 0 found"
metrics:
  wns:
    unit: ns
    direction: higher
    min: -100
    max: 100.5
    description: worst slack
  cells:
    direction: lower
    min: 1
  top:
    unit: ""
"""
).replace('    unit: ""\n', "    description: the top module\n")
"""One that uses all of version 1.1."""

"""``contract.yaml``: what a skill is, what it runs and what it must leave behind.

Version 1.0 knows the fields of the protocol and the tool ``innovus``. Version 1.1 adds the other
tools, ``timeout_s`` of a script, ``error_patterns``, ``ignore_patterns`` and ``metrics``, all of
them optional: a 1.0 contract means what it always did.
"""

from __future__ import annotations

from typing import Literal, get_args

from custody.model.record import Document, Record
from custody.model.skill.metric import MetricRule

CONTRACT_FILE = "contract.yaml"
FIRST_VERSION = "1.0"
NEWEST_VERSION = "1.1"
CONTRACT_VERSIONS = (FIRST_VERSION, NEWEST_VERSION)

ToolName = Literal["innovus", "opensta", "yosys", "magic", "netgen", "tclsh"]
TOOL_NAMES: tuple[ToolName, ...] = get_args(ToolName)
FIRST_TOOLS: tuple[ToolName, ...] = ("innovus",)
"""The tools that version 1.0 knows."""


class ContractScript(Record, frozen=True):
    """A script that the skill runs in its tool."""

    name: str
    """What it is called, such as ``run``."""
    entry: str
    """Where it stands below the skill's folder, such as ``templates/run.tcl``."""
    timeout_s: float | None = None
    """How long it may take, in seconds; None for what the job says. Since 1.1."""


class RequiredOutput(Record, frozen=True):
    """A report that must be there when the scripts have run."""

    path: str
    """Where it stands below the run directory: below ``reports/``, a glob or a plain path."""
    non_empty: bool = True
    """Whether every file that matches must hold something."""
    description: str = ""


class ContractOutputs(Record, frozen=True):
    """What the skill leaves behind."""

    required: tuple[RequiredOutput, ...]


class Contract(Document, frozen=True):
    """A whole contract. It is made by `custody.skills.contract` alone, which checks every rule."""

    name: str
    version: str
    """The skill's own version."""
    tool: ToolName
    scripts: tuple[ContractScript, ...]
    """At least one; they run in this order."""
    outputs: ContractOutputs
    debug_hints: tuple[str, ...]
    """At least two: what to look at when it fails."""
    description: str = ""
    error_patterns: tuple[str, ...] = ()
    """Lines of the tool's log that mean failure, beside those of the tool itself. Since 1.1."""
    ignore_patterns: tuple[str, ...] = ()
    """Lines that mean nothing although an error pattern matches them. Since 1.1."""
    metrics: dict[str, MetricRule] = {}
    """What is known of the metrics in ``reports/metrics.json``, by their names. Since 1.1."""

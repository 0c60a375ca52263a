"""What a check says: yes or no, and why."""

from __future__ import annotations

from typing import Literal

from custody.model.record import Record

GateEffect = Literal["refuse", "fail", "warn"]
"""What becomes of an attempt that a gate finds wrong; see `custody.checks.gates`."""
GateResult = Literal["passed", "failed"]
NOT_EXECUTED = frozenset({"not_recorded", "not_judged"})
"""Codes of a gate that had nothing to judge."""


class Verdict(Record, frozen=True):
    """The answer of one guard or gate about one subject."""

    check: str
    """Name of the check that was asked, such as ``writes`` or ``command``."""
    allowed: bool
    code: str = ""
    """Stable name of the rule that refused; empty when allowed."""
    reason: str = ""
    """One sentence for a person."""
    subject: str = ""
    """The path, command or value that was judged."""

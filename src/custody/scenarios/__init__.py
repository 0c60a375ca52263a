"""Scenario scripts: checks of a product from outside, written as shell scripts.

A script knows two modes, by the variable ``SCENARIO_MODE``: ``selftest`` proves that the script
itself works, without keys and network, and ``live`` checks the real product. `preflight` runs the
first, then the second where it is wanted, and tells a broken product from broken surroundings.
"""

from __future__ import annotations

from typing import Literal

from custody.model.record import Record

Mode = Literal["selftest", "live"]
Fault = Literal["", "product", "infra"]

MODE_VARIABLE = "SCENARIO_MODE"
LIVE_VARIABLE = "REQUIRE_LIVE"
INFRA_EXIT = 86
"""Exit code that says: not the product's fault, try again when the surroundings are well."""


class Phase(Record, frozen=True):
    """One mode of one script, as it went."""

    mode: Mode
    exit_code: int
    """The script's own; 124 after a time-out."""
    seconds: float
    reason: str
    """Why it failed, in a few words; empty when it did not."""
    output: str
    """Both streams, when it failed; without secrets."""


class Scenario(Record, frozen=True):
    """What came of one script."""

    script: str
    passed: bool
    fault: Fault
    """Whose fault a failure is: of the ``product`` (or the script), or of the surroundings."""
    exit_code: int
    """0, the script's own, or 86 for ``infra``."""
    phases: tuple[Phase, ...]
    """Those that ran."""


__all__ = ["INFRA_EXIT", "LIVE_VARIABLE", "MODE_VARIABLE", "Fault", "Mode", "Phase", "Scenario"]

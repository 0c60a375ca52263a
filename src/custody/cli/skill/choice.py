"""Asks, on a terminal, which of several designs of one name is meant."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from custody.model.skill.job import Located


def choose(design: str, cwd: str) -> int:
    """Return the number of the design that somebody chooses; 0 where nobody can, or does.

    Then the job fails and lists the designs: nothing waits for an answer that nobody gives.
    """
    if sys.stdin is None or sys.stderr is None:
        return 0
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return 0
    from custody import skill

    found = skill.locate(design, cwd)
    if found.selected is not None or len(found.candidates) < 2:  # noqa: PLR2004 - one is no choice
        return 0
    return _asked(found)


def _asked(found: Located) -> int:
    for number, one in enumerate(found.candidates, 1):
        sys.stderr.write(f"{number:>3}  {one.path}  {one.size} bytes, {one.mtime}\n")
    sys.stderr.write(f"which design is {found.query}? ")
    sys.stderr.flush()
    said = sys.stdin.readline().strip()
    return int(said) if said.isdecimal() and len(said) < len(str(sys.maxsize)) else 0

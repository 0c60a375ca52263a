"""Checking a run directory at any moment, also while its run is at work.

A look takes its time, and a run that is at work goes on meanwhile: what lies there may be newer
than the lines that were read. So of a run that has not come to rest only what several looks agree
on is told. Whatever is wrong for good is found by each of them.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import NamedTuple

from msgspec.structs import replace

from custody.engine.audit import Audit
from custody.engine.verification import Mismatch, Verification, check_head
from custody.store.rundir import RunDirectory

AGREEING = 5
"""How many looks at a run that is not at rest must find something before it is told."""
MOST_LOOKS = 30
PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Seconds between looks; the last is repeated."""


def verify(path: str, *, rebuild: bool = False, head: str = "") -> Verification:
    """Check every claim of the run directory at ``path``; changes nothing, unless to rebuild.

    With ``rebuild`` the documents that the journal can make again are written anew first. What
    the journal itself does not hold is never made up. With ``head``, the hash of a line that was
    kept elsewhere, a record that was rewritten as a whole is found too.
    """
    check_head(head)
    look = _look(path, head, rebuild=rebuild)
    seen = Counter(map(_what, look.found.mismatches))
    for number in range(MOST_LOOKS - 1):
        unsure = [one for one in look.found.mismatches if seen[_what(one)] < AGREEING]
        if look.at_rest or not unsure:
            return look.found
        time.sleep(PAUSES[min(number, len(PAUSES) - 1)])
        look = _look(path, head)
        seen.update(map(_what, look.found.mismatches))
    sure = tuple(one for one in look.found.mismatches if seen[_what(one)] >= AGREEING)
    return replace(look.found, mismatches=sure)


def whole_end(run: RunDirectory) -> Audit | None:
    """Return what was read of a run that has everything its end writes; nothing is changed."""
    audit = Audit(run)
    steps = (audit.chain, audit.read, audit.last_tree, audit.views, audit.evidence)
    if any(next(step(), None) is not None for step in steps) or any(run.temporaries()):
        return None
    return audit if audit.at_rest() and run.blobs.has(audit.final.sha256) else None


class _Look(NamedTuple):
    """What one look at a run directory found."""

    found: Verification
    at_rest: bool
    """Whether nothing can have changed meanwhile: the run had ended, and has not been taken up."""


def _look(path: str, head: str, *, rebuild: bool = False) -> _Look:
    with RunDirectory.open(path, write=rebuild) as run:
        audit = Audit(run)
        found = audit.verification(tuple(audit.mismatches(head, rebuild=rebuild)))
        return _Look(found, rebuild or audit.at_rest())


def _what(mismatch: Mismatch) -> tuple[str, str]:
    return mismatch.code, mismatch.where

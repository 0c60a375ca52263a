"""Checking a run directory, claim by claim, with nothing but the directory itself.

chain       every line of the journal follows from the one before, up to the known head
pipeline    the pipeline is the one whose hash the journal holds
evidence    every file that a line names is there, with the bytes the line says
blobs       every blob is what its name says, and every one that is needed is there
views       every document made from the journal can be made again, the same bytes
workspace   the workspace of an ended run is what its stages left
decisions   the recorded answers lead to the recorded decisions
unclaimed   there is no file that nothing accounts for
"""

from __future__ import annotations

from custody.model.event import RunStatus
from custody.model.record import Record
from custody.store.rundir import RunDirectory
from custody.views.collect import Collector


class Mismatch(Record, frozen=True):
    """One claim that does not hold."""

    code: str
    where: str
    what: str


class Verification(Record, frozen=True):
    """What was checked, and what did not hold."""

    run_id: str
    status: RunStatus
    lines: int
    evidence: int
    blobs: int
    mismatches: tuple[Mismatch, ...]


def verify(path: str, *, rebuild: bool = False) -> Verification:
    """Check every claim of the run directory at ``path``; changes nothing, unless to rebuild.

    With ``rebuild`` the documents that are made from the journal are written anew first.
    """
    with RunDirectory.open(path, write=rebuild) as run:
        audit = _Audit(run)
        broken = list(audit.chain())
        if broken:
            return audit.verification(broken)
        found = list(audit.contents())
        if rebuild and not found:
            audit.rebuild()
        return audit.verification([*found, *audit.views(), *audit.decisions(), *audit.rest()])


class _Audit:
    """One look at one run directory; each method yields what does not hold."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run
        self._collector = Collector(run.run_id)
        self._made: dict[str, bytes] = {}
        self._claimed: set[str] = set()
        self._lines = 0
        self._head = ""
        self._evidence = 0
        self._blobs = 0

    def verification(self, mismatches: list[Mismatch]) -> Verification:
        """Return the result."""
        return Verification(
            run_id=self._run.run_id,
            status=self._collector.state.status,
            lines=self._lines,
            evidence=self._evidence,
            blobs=self._blobs,
            mismatches=tuple(mismatches),
        )

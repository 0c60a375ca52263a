"""What checking a run directory found: claims that do not hold, and what no claim is about."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from custody.errors import UsageError
from custody.model import layout
from custody.model.fact import RunStatus
from custody.model.record import Record
from custody.patterns import later
from custody.store.rundir import RunDirectory

_HASH = later("[0-9a-f]{64}")


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
    head: str = ""
    """sha256 of the journal's last line; empty when its chain does not hold."""
    after_head: int = 0
    """How many lines the journal has after the one whose hash was given."""
    unknown: tuple[str, ...] = ()
    """What is there beside the record and may be: no line tells of it, and no claim rests on it."""

    @property
    def intact(self) -> bool:
        """Whether the record is what it claims to be; how the run ended is another question."""
        return not self.mismatches


def check_head(head: str) -> None:
    """Raise `UsageError` for what cannot be the hash of a line; empty when none was kept."""
    if head and _HASH.fullmatch(head) is None:
        hint = "the run has printed it: 64 hex digits"
        raise UsageError(f"{head!r} is not the head of a journal", hint=hint)


def unknown(
    run: RunDirectory, unnamed: Iterable[str], named: Container[str] = ()
) -> tuple[str, ...]:
    """Name what crashes, changed pipelines and programs leave: nothing of the record rests on it.

    These are files that were set aside, empty folders, the folders that hold files which the
    journal does not vouch for, and the blobs that are ``unnamed``; ``named`` it does vouch for.
    """
    found = [*filter(layout.is_set_aside, run.files()), *unnamed]
    found += (f"{folder}/" for folder in run.empty_folders())
    for folder in layout.UNRECORDED:
        if any(path not in named for path in _left_in(run, folder)):
            found.append(f"{folder}/")
    return tuple(sorted(found))


def _left_in(run: RunDirectory, top: str) -> Iterator[str]:
    """Yield whatever lies below a folder that programs write to; of folders the empty ones."""
    waiting = [top] if run.root.exists(top) else []
    while waiting:
        folder = waiting.pop()
        with run.root.scan(folder) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        if not found and folder != top:
            yield folder
        for name, is_folder in found:
            if is_folder:
                waiting.append(f"{folder}/{name}")
            else:
                yield f"{folder}/{name}"

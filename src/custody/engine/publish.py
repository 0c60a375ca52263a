"""Copying what a run made out of it, into a folder of the user's.

What the run changed in its workspace goes where it stood there, and its documents below
``docs/`` and ``audits/``. A file of the folder is replaced only when the run has read it: when it
holds what the run's source held. All files are looked at before the first is written, each is
written whole or not at all, and one that is there already is left alone; so publishing again
finishes what was broken off. What the run deleted is named, and stays.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from custody.errors import PathRefused, Refused, RunError
from custody.model.change import Change, Entry
from custody.model.evidence import Evidence
from custody.model.record import Record
from custody.model.relpath import RelPath, write_policy
from custody.store import files
from custody.store.history import History
from custody.store.os_errors import failure
from custody.store.places import lies_in, make_folder
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.views.collect import collected
from custody.workspace.rights import changed_mode, pass_on
from custody.workspace.workspace import read_tree

SHOWN_REFUSALS = 20
EXECUTABLE = 0o111
NOT_FOR_OTHERS_TO_WRITE = 0o755


class Published(Record, frozen=True):
    """What came of it."""

    folder: str
    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    """Files that were there already, byte for byte."""
    kept: tuple[str, ...]
    """Files that the run deleted; in the folder they stay, where they are."""


class _Offer(NamedTuple):
    """One file that is to be in the folder."""

    path: RelPath
    sha256: str
    mode: int | None
    """Its rights in the workspace; None for a document, which has those of any new file."""
    document: Evidence | None
    """Where its bytes are; a file of the workspace is a blob."""

    @property
    def executable(self) -> bool:
        """Whether it can be run."""
        return bool((self.mode or 0) & EXECUTABLE)


def publish(path: str, folder: str) -> Published:
    """Copy the files of a run that passed; raises `Refused` with the names of those in the way."""
    with RunDirectory.open(path, write=False) as run:
        history = History.read(run)
        collector = collected(run.run_id, history.lines(), history.changes_of)
        if collector.state.status != "PASS":
            raise RunError(f"run {run.run_id} did not pass: nothing is published", where=run.path)
        changes = collector.net_changes()
        offers = _offers(changes, tuple(collector.state.documents.values()), folder)
        base = read_tree(run, history.genesis.workspace)
        with _open(folder, run.path) as root:
            due = _due(root, offers, base)
            for offer, there in due:
                _write(root, run, offer, there=there)
    written = {str(offer.path) for offer, _ in due}
    return Published(
        folder=folder,
        written=tuple(sorted(written)),
        unchanged=tuple(sorted(str(o.path) for o in offers if str(o.path) not in written)),
        kept=tuple(change.path for change in changes if change.after is None),
    )


def _offers(
    changes: tuple[Change, ...], documents: tuple[Evidence, ...], folder: str
) -> tuple[_Offer, ...]:
    """Return every file that is to be there; raises `Refused` when one cannot be."""
    offers: dict[str, _Offer] = {}
    refusals: list[str] = []
    for offer in _offered(changes, documents, refusals):
        other = offers.setdefault(str(offer.path), offer)
        if other.sha256 != offer.sha256:
            refusals.append(f"{offer.path}: the workspace and the documents both have it")
    _raise_for(refusals, folder, "cannot be published")
    return tuple(offers.values())


def _offered(
    changes: tuple[Change, ...], documents: tuple[Evidence, ...], refusals: list[str]
) -> Iterator[_Offer]:
    for change in changes:
        entry = change.after
        if entry is None or entry.kind == "dir":
            continue
        if entry.kind != "file":
            refusals.append(f"{entry.path}: it is no plain file")
        elif path := _judged(entry.path, refusals):
            yield _Offer(path, entry.sha256, entry.mode & NOT_FOR_OTHERS_TO_WRITE, None)
    for written in documents:
        if path := _judged(written.path, refusals):
            yield _Offer(path, written.sha256, mode=None, document=written)


def _judged(text: str, refusals: list[str]) -> RelPath | None:
    try:
        path = RelPath.parse(text)
        write_policy(path)
    except PathRefused as refused:
        refusals.append(f"{text}: {refused.what}")
        return None
    return path


def _due(
    root: Root, offers: tuple[_Offer, ...], base: dict[str, Entry]
) -> tuple[tuple[_Offer, bool], ...]:
    """Return what must be written, and whether a file is there; raises `Refused`."""
    due: list[tuple[_Offer, bool]] = []
    refusals: list[str] = []
    for offer in offers:
        try:
            root.refuse_case_collision(offer.path)
            if not root.exists(offer.path):
                due.append((offer, False))
                continue
            there, executable = root.digest(offer.path)[0], _is_executable(root, offer.path)
        except PathRefused as refused:
            refusals.append(f"{offer.path}: {refused.what}")
            continue
        if there == offer.sha256 and executable == offer.executable:
            continue
        source = base.get(str(offer.path))
        if there not in {offer.sha256, "" if source is None else source.sha256}:
            refusals.append(f"{offer.path}: it is not what the run has read")
        else:
            due.append((offer, True))
    _raise_for(refusals, root.path, "would be overwritten or cannot be written")
    return tuple(due)


def _is_executable(root: Root, path: RelPath) -> bool:
    return bool(root.stat(path).st_mode & EXECUTABLE)


def _write(root: Root, run: RunDirectory, offer: _Offer, *, there: bool) -> None:
    data = run.blobs.get(offer.sha256) if offer.document is None else run.document(offer.document)
    if there:
        _replace(root, offer, data)
    else:
        root.create(offer.path, data, mode=offer.mode, sync=True)


def _replace(root: Root, offer: _Offer, data: bytes) -> None:
    """Put a file in the place of one, which nobody can read then who could not before."""
    old = root.open_fd(offer.path, files.READ | os.O_NOFOLLOW)
    try:
        mode = changed_mode(os.fstat(old).st_mode, executable=offer.executable)
        root.write(offer.path, data, mode=mode & stat.S_IRWXU, sync=True)
        new = root.open_fd(offer.path, files.READ | os.O_NOFOLLOW)
        try:
            pass_on(old, new, mode)
        finally:
            os.close(new)
    except OSError as error:
        raise failure(error, f"{root.path}/{offer.path}") from error
    finally:
        os.close(old)


def _open(folder: str, run: str) -> Root:
    """Open the folder, made where it is missing."""
    if lies_in(folder, run):
        raise Refused("publish", "a run cannot be published into its own directory", where=folder)
    make_folder(folder)
    return Root.open(folder)


def _raise_for(refusals: list[str], folder: str, why: str) -> None:
    if not refusals:
        return
    shown = sorted(refusals)[:SHOWN_REFUSALS]
    more = len(refusals) - len(shown)
    lines = [*shown, *([f"and {more} more"] if more else [])]
    count = f"{len(refusals)} file{'s' if len(refusals) > 1 else ''}"
    what = "\n".join((f"nothing is published: {count} {why}", *lines))
    raise Refused("publish", what, where=folder, hint="choose another folder, or move them away")

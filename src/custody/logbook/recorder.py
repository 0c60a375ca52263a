"""Takes changes into the logbook, many at a time: first the bytes, then the rows that name them.

A batch is one transaction, and so is the note of how far the history was read. Whenever this is
killed, what is in the tables has its bytes, and reading again adds what is missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from custody.logbook import Transaction, events, kv, pointers, repos
from custody.logbook.artifacts import ArtifactStore, sha256_of
from custody.logbook.book import Logbook
from custody.logbook.change import HistoryChange, Synced
from custody.logbook.records import NewPatch, Repo

CURSORS = "sync"
"""The namespace of the notes of how far histories were read."""
_CHANGES = 1000
_BYTES = 32 << 20


class Recorder:
    """Records the changes of one repository."""

    def __init__(self, book: Logbook, artifacts: ArtifactStore, repo: Repo) -> None:
        self._book = book
        self._artifacts = artifacts
        self._repo = repo
        self._waiting: list[HistoryChange] = []
        self._bytes = 0
        self._changes = 0
        self._patches = 0
        self._without = 0
        self._cut = 0
        self._binary = 0

    def record(self, changes: Iterable[HistoryChange]) -> None:
        """Take changes in; some may wait for `finish`."""
        for change in changes:
            self._waiting.append(change)
            self._bytes += len(change.patch)
            self._without += not change.patch
            self._cut += change.format != "diff"
            self._binary += int(change.patch_meta.get("binary_files", 0))
            if len(self._waiting) >= _CHANGES or self._bytes >= _BYTES:
                self._flush()

    def finish(self, tip: str, cursor: tuple[str, Any], notes: tuple[str, ...]) -> Synced:
        """Take the rest in, and note that the history is there up to ``tip``."""
        self._flush()
        name, value = cursor
        synced = Synced(
            repo_id=self._repo.repo_id,
            repo_type=self._repo.repo_type,
            name=self._repo.name,
            location=self._repo.location,
            tip=tip,
            changes=self._changes,
            patches=self._patches,
            without_patch=self._without,
            cut=self._cut,
            binary_files=self._binary,
            notes=notes,
        )

        def note(transaction: Transaction) -> None:
            if kv.get(transaction, CURSORS, name, type(value)) != value or self._changes or notes:
                told = {"repo_id": self._repo.repo_id, "tip": tip, "changes": self._changes}
                events.append(transaction, "history.synced", {**told, "notes": list(notes)})
            kv.put(transaction, CURSORS, name, value)

        self._book.database.repeat(note)
        return synced

    def _flush(self) -> None:
        batch, self._waiting, self._bytes = self._waiting, [], 0
        if not batch:
            return
        rows = [self._row(change) for change in batch if change.patch]
        self._artifacts.settle()
        changes, patches = self._book.database.repeat(lambda it: self._write(it, batch, rows))
        self._changes += changes
        self._patches += patches

    def _row(self, change: HistoryChange) -> NewPatch:
        key = self._artifacts.put(change.patch)
        return NewPatch(
            source_type=self._repo.repo_type,
            source_id=f"{self._repo.repo_id}:{change.name}",
            uri=key,
            sha256=sha256_of(key),
            size_bytes=len(change.patch),
            format=change.format,
            meta=change.patch_meta,
        )

    def _write(
        self, transaction: Transaction, batch: list[HistoryChange], rows: list[NewPatch]
    ) -> tuple[int, int]:
        add = repos.add_commits if self._repo.repo_type == "git" else repos.add_revisions
        patches = pointers.add_patches(transaction, rows)
        return add(transaction, self._repo.repo_id, batch), patches

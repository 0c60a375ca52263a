"""Taking up a journal that a process left.

A journal after a crash is not gone on with in its old file: what the kernel shows of it may never
reach the disk. It is read once, proved, and its good lines are written into a new file. Until
`Recovery.settle` the old one stays as it is, so whoever reads on can still refuse to take it up.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Self

from custody.model import layout
from custody.store import files
from custody.store.chain import Chain, Link
from custody.store.journal import APPEND, Clock, Journal
from custody.store.journal_file import (
    CHUNK,
    chunks,
    end_of_whole_lines,
    good,
    open_journal,
    where,
)
from custody.store.os_errors import failure
from custody.store.root import Root


class Recovery:
    """One journal, read to its end when the context is entered.

    Raises `JournalBroken` when the chain does not hold: only what a crash can leave is repaired,
    and that is a last line without an end, or with holes in it.
    """

    def __init__(self, root: Root, run_id: str, hear: Callable[[Link], None]) -> None:
        self.torn = 0
        """How many bytes at the end are no whole line, and will be cut off."""
        self.holes = False
        """Whether lines among them have an end, but zeros in them."""
        self._root = root
        self._run_id = run_id
        self._hear = hear
        self._temporary = files.temporary_name()
        self._target = -1

    def __enter__(self) -> Self:
        try:
            source = open_journal(self._root)
            try:
                self._copy(source)
            finally:
                os.close(source)
        except BaseException as error:
            self._discard()
            if isinstance(error, OSError):
                raise failure(error, where(self._root)) from error
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._discard()

    def settle(self, *, clock: Clock = time.time_ns) -> Journal:
        """Let the new file take the place of the old one, durably; return its writing end."""
        folder = self._root.fd
        try:
            os.fsync(self._target)
            os.rename(self._temporary, layout.EVENTS, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
        except OSError as error:
            raise failure(error, where(self._root)) from error
        descriptor, self._target = self._target, -1
        return Journal(
            self._root,
            descriptor,
            self._run_id,
            count=self._chain.count,
            head=self._chain.head,
            offset=os.fstat(descriptor).st_size,
            version=self._chain.version,
            clock=clock,
        )

    def _copy(self, source: int) -> None:
        """Prove every line, tell of it, and write it into the new file."""
        end, self.holes = end_of_whole_lines(source)
        self.torn = os.fstat(source).st_size - end
        self._target = self._root.open_fd(self._temporary, APPEND)
        self._chain = Chain(chunks(source, end), self._run_id)
        waiting = bytearray()
        for link in good(self._chain, self._root):
            self._hear(link)
            waiting += link.raw + b"\n"
            if len(waiting) > CHUNK:
                files.write_all(self._target, bytes(waiting))
                waiting.clear()
        files.write_all(self._target, bytes(waiting))

    def _discard(self) -> None:
        if self._target >= 0:
            os.close(self._target)
            self._target = -1
            files.discard(self._root.fd, self._temporary)

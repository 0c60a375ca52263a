"""The folder of one attempt: ``nodes/<node>/<visit>.<attempt>/``.

Short texts travel inside the journal and can be put back from there, so their files need no
sync. Everything else is durable after `AttemptFolder.settle`, which comes before the journal line
that names it.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Mapping

from custody.model.evidence import INLINE_LIMIT, Evidence, short_text
from custody.store import files
from custody.store.aside import set_aside
from custody.store.folders import Folders
from custody.store.os_errors import failure
from custody.store.root import Root


class AttemptFolder:
    """Where the evidence of one attempt is kept."""

    def __init__(self, run: Root, folders: Folders, path: str, durable: set[str]) -> None:
        self.path = path
        """Relative to the run directory."""
        self._run = run
        self._folders = folders
        self._durable = durable
        """Folders of the run whose own names are known to be durable."""
        self._unsynced: list[str] = []
        self._made: dict[str, Evidence] = {}
        """What was written here, by name."""
        self.clean: Callable[[bytes], bytes] = _as_it_is
        """What every file passes through on its way; for documents outside the folder too."""

    def cleaned_by(self, clean: Callable[[bytes], bytes]) -> AttemptFolder:
        """Return the same folder, where every file passes through ``clean`` on its way.

        Streams do not: whoever opens one writes it.
        """
        folder = AttemptFolder(self._run, self._folders, self.path, self._durable)
        folder._unsynced = self._unsynced
        folder._made = self._made
        folder.clean = clean
        return folder

    def begin(self, given: Mapping[str, str]) -> None:
        """Make ready for an attempt that is given these texts, by name.

        Where an earlier one had begun they are on the disk on return: it may have read others.
        """
        started_over = self.clear(given)
        for name, text in given.items():
            if started_over:
                self.show(self.write(name, text))
            elif not _is_short(text):
                self.write(name, text)
        self.settle()

    def clear(self, given: Mapping[str, str] | None = None) -> str:
        """Set aside what an earlier process left here; return where it was put, or nothing.

        A folder that holds nothing but the texts ``given``, by name, is as good as a new one.
        """
        if not files.present(self._run.fd, self.path):
            return ""
        known = given or {}
        names = self._run.names(self.path)
        if all(name in known and self._holds(name, known[name]) for name in names):
            return ""
        return self.set_aside()

    def _holds(self, name: str, text: str) -> bool:
        return self._run.read(f"{self.path}/{name}") == text.encode(errors="replace")

    def set_aside(self) -> str:
        """Rename a folder that is there to ``<path>.lost.<n>``; empty when there is none."""
        if not self._run.exists(self.path):
            return ""
        self._folders.close()
        return set_aside(self._run, self.path)

    def write(self, name: str, content: str | bytes) -> Evidence:
        """Return the pointer to a file with this content.

        The journal holds a short text, and whoever makes the views writes its file. Anything else
        is on the disk when this returns, whole, and durable after `settle`.
        """
        data = content.encode(errors="replace") if isinstance(content, str) else content
        clean = self.clean(data)
        if isinstance(content, bytes):
            data, text = clean, short_text(clean)
        elif clean is data and content.isascii():
            text = content
        else:
            text = clean.decode(errors="replace")
            data = text.encode()
        path = f"{self.path}/{name}"
        if text is None or len(data) > INLINE_LIMIT:
            self._folders.write(path, data)
        evidence = self._evidence(path, hashlib.sha256(data).hexdigest(), len(data), text)
        self._made[name] = evidence
        return evidence

    def show(self, evidence: Evidence) -> None:
        """Put a short text on the disk now: a program is going to read it."""
        if evidence.text is not None and not self._run.exists(evidence.path):
            self._folders.write(evidence.path, evidence.text.encode())

    def left(self) -> tuple[Evidence, ...]:
        """Return everything that was put here, streams too."""
        there = self._run.names(self.path) if self._run.exists(self.path) else []
        streams = [
            self.seal(name)
            for name in there
            if name not in self._made and not files.is_temporary(name)  # views are being written
        ]
        return (*self._made.values(), *streams)

    def open_stream(self, name: str) -> io.FileIO:
        """Create a file that is written as its content arrives; `seal` it when it is complete."""
        self._run.make_dirs(self.path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        return io.FileIO(self._run.open_fd(f"{self.path}/{name}", flags), "wb")

    def seal(self, name: str) -> Evidence:
        """Return the pointer to a file that is complete now."""
        path = f"{self.path}/{name}"
        if self._run.stat(path).st_size <= INLINE_LIMIT:
            data = self._run.read(path)
            return self._evidence(
                path, hashlib.sha256(data).hexdigest(), len(data), short_text(data)
            )
        sha256, size = self._run.digest(path)
        return self._evidence(path, sha256, size, None)

    def settle(self) -> None:
        """Make durable what the journal is about to name and cannot hold itself."""
        if not self._unsynced:
            return
        waiting = [*self._unsynced]
        self._unsynced.clear()
        try:
            for path in waiting:
                with self._run.parent(path) as (folder, name):
                    files.sync(folder, name)
        except OSError as error:
            raise failure(error, f"{self._run.path}/{self.path}") from error
        self._run.sync_dir(self.path)
        self._settle_ancestors()

    def _settle_ancestors(self) -> None:
        folder = self.path
        while folder not in self._durable:
            self._durable.add(folder)
            folder = folder.rpartition("/")[0]
            self._run.sync_dir(folder)
            if not folder:
                return

    def _evidence(self, path: str, sha256: str, size: int, text: str | None) -> Evidence:
        if text is None or size > INLINE_LIMIT:
            self._unsynced.append(path)
        return Evidence(path=path, sha256=sha256, bytes=size, text=text)


def _as_it_is(data: bytes) -> bytes:
    return data


def _is_short(text: str) -> bool:
    """Whether the journal holds a text, however its characters are written."""
    return len(text) * 4 <= INLINE_LIMIT or len(text.encode(errors="replace")) <= INLINE_LIMIT

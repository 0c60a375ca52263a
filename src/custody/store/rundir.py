"""The directory of one run: who may write it, and how its files come to be.

A run directory is written by one process at a time, the one that holds its lock. Agents and
tools have no business in it outside ``workspace/``.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Self, TypeVar

import msgspec

from custody.errors import BlobDamaged, PathRefused, RunExists, RunLocked, RunNotFound, UsageError
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.record import Record, decode, encode_pretty, ready
from custody.patterns import later
from custody.store import files, syscalls
from custody.store.aside import set_aside
from custody.store.attempt_folder import AttemptFolder
from custody.store.blobs import Blobs
from custody.store.folders import Folders
from custody.store.index import check_run_id
from custody.store.lock import try_lock
from custody.store.os_errors import failure
from custody.store.places import require_utf8
from custody.store.resolve import own
from custody.store.root import Root
from custody.store.starts import clear_starts, remove_start

__all__ = ["AttemptFolder", "RunDirectory"]

_REQUEST_ID = later(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}/[0-9]+\.[0-9]+")
_T = TypeVar("_T", bound=Record)
_CLAIMS = 20
"""How often a beginning is claimed that somebody has locked: who only looks is gone at once."""
_SYNC_EACH = 16
"""How many files are synced one by one."""
_TRIES = 5
"""How often a run is locked that somebody may only have asked about."""
_PAUSE = 0.02

OWNERS = 0o700
"""A run is for its owner alone, and so is a folder of runs that custody makes."""
_ABOVE = 0o755


class RunDirectory:
    """An open run directory; a context manager that closes it and so gives the lock back."""

    def __init__(self, root: Root, run_id: str) -> None:
        self.root = root
        self.path = root.path
        """The absolute path; another one until the run is published."""
        self.run_id = run_id
        self.blobs = Blobs(root)
        self._folders_open = Folders(root)
        self._durable: set[str] = set()
        self._unsynced: list[str] = []
        self._unpublished = False

    @classmethod
    def create(cls, runsdir: str, run_id: str) -> Self:
        """Begin a run in ``runsdir`` and lock it; raises `RunExists` when its id is taken.

        It has another name until `publish`, so that nobody ever sees half of a beginning. What
        processes left that died before that is cleared away.
        """
        _require_utf8()
        home = os.path.abspath(runsdir)
        require_utf8(home)
        path = os.path.join(home, check_run_id(run_id))
        unpublished = os.path.join(home, layout.unpublished(run_id))
        changed: list[str] = []
        for _ in range(_CLAIMS):
            try:
                if os.path.lexists(path):
                    raise run_exists(run_id, path)
                changed = changed or _make_folder(home)
                with suppress(FileExistsError):
                    os.mkdir(unpublished, OWNERS)
            except OSError as error:
                raise failure(error, unpublished) from error
            if (run := cls._claimed(unpublished, path, changed)) is not None:
                clear_starts(home, but=run_id)
                return run
            time.sleep(_PAUSE)
        raise _locked(run_id, unpublished)

    @classmethod
    def _claimed(cls, unpublished: str, path: str, changed: list[str]) -> Self | None:
        """Open, lock and clear a beginning; None when somebody looks at it, or cleared it away."""
        try:
            run = cls(Root.open(unpublished, resolver=own), os.path.basename(path))
        except PathRefused as refused:
            if refused.code == "missing":
                return None
            raise
        run._unsynced = changed
        try:
            if run._claim(path):
                run._close_to_others()
                return run
        except BaseException:
            run.close()
            raise
        run.close()
        return None

    @classmethod
    def open(cls, path: str, *, write: bool) -> Self:
        """Open a run that is there, and lock it if it will be written.

        Raises `RunNotFound` when no run is there and `RunLocked` when it is being written.
        """
        _require_utf8()
        path = os.path.abspath(path)
        try:
            root = Root.open(path, resolver=own)
        except PathRefused as refused:
            raise RunNotFound(f"not a run directory: {refused.what}", where=path) from refused
        try:
            run = cls(root, _run_id(root))
            if write:
                run.lock()
                run._close_to_others()
        except BaseException:
            root.close()
            raise
        return run

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give every descriptor back, and the lock with them; a run without a name is removed."""
        if self._unpublished:
            self._unpublished = False
            home, name = os.path.split(self.path)
            with Root.open(home, resolver=own) as parent:
                remove_start(parent, name, self.root)
        self._folders_open.close()
        self.blobs.close()
        self.root.close()

    def lock(self) -> None:
        """Make this process the only writer until `close`; raises `RunLocked`.

        The lock is the kernel's and lies on the directory itself: it ends with the process that
        holds it, however that ends.
        """
        try:
            for _ in range(_TRIES):
                if try_lock(self.root):
                    return
                time.sleep(_PAUSE)
        except OSError as error:
            raise failure(error, self.path) from error
        raise _locked(self.run_id, self.path)

    def _close_to_others(self) -> None:
        """Let nobody but the owner in, whatever the umask is and whoever made the folder above.

        What lies inside need not say so again. A folder whose group is handed down to what is made
        in it hands nothing down any more.
        """
        try:
            state = os.fstat(self.root.fd)
            if stat.S_IMODE(state.st_mode) != OWNERS and state.st_uid == os.geteuid():
                os.fchmod(self.root.fd, OWNERS)
        except OSError as error:
            raise failure(error, self.path) from error

    def _claim(self, path: str) -> bool:
        """Lock a beginning and clear it; raises `RunExists` when ``path`` is a run by now."""
        if not try_lock(self.root):
            return False
        if os.path.lexists(path):
            raise run_exists(self.run_id, path)
        if not self._is_here():
            return False
        self._unpublished = True
        for name in self.root.names():
            self.root.remove_tree(name)
        return True

    def _is_here(self) -> bool:
        """Whether the path still leads to the open directory."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self.root.fd))
        except FileNotFoundError:
            return False

    def publish(self) -> None:
        """Give the run its name, durably; raises `RunExists` when it was taken meanwhile."""
        home, name = os.path.split(self.path)
        path = os.path.join(home, self.run_id)
        with Root.open(home, resolver=own) as parent:
            try:
                if os.path.lexists(path):
                    raise run_exists(self.run_id, path)
                # One that is made now is replaced if it is empty, and in the way otherwise.
                os.rename(name, self.run_id, src_dir_fd=parent.fd, dst_dir_fd=parent.fd)
            except OSError as error:
                raise failure(error, path) from error
            self._unpublished = False
            self.root.path = self.path = path
        while self._unsynced:
            with Root.open(self._unsynced.pop(), resolver=own) as folder:
                folder.sync_dir()

    def sweep(self) -> int:
        """Remove the temporary files that a process left when it ended; return how many."""
        left = [*self.temporaries(layout.SESSIONS)]  # there it renews what it sees of a tool
        for path in left:
            self.root.remove_tree(path)
        return len(left)

    def stage(self, request: str) -> AttemptFolder:
        """Return the folder of the attempt that makes a request.

        It is made when something is put there.
        """
        if _REQUEST_ID.fullmatch(request) is None:
            raise PathRefused("node_id", f"{request!r} cannot name a folder", where=self.path)
        path = layout.request_folder(request)
        return AttemptFolder(self.root, self._folders_open, path, self._durable)

    def write(self, path: str, data: bytes, *, sync: bool = False) -> None:
        """Put a file there, whole or not at all; see `Root.write`."""
        if sync:
            self.root.write(path, data, sync=True)
        else:
            self._folders_open.write(path, data)

    def write_pieces(self, path: str, pieces: Iterable[bytes]) -> None:
        """Put a file there that comes piece by piece, whole or not at all, and durably."""
        self.root.write(path, pieces, sync=True)

    def write_durably(self, contents: Iterable[tuple[str, bytes]]) -> None:
        """Put files there, by path; all of them are durable on return, by as few syncs as it takes.

        Many are synced with the whole file system.
        """
        written = 0
        for path, data in contents:
            self.write(path, data, sync=written < _SYNC_EACH)
            written += 1
        try:
            if written > _SYNC_EACH:
                syscalls.syncfs(self.root.fd)
        except OSError as error:
            raise failure(error, self.path) from error

    def write_document(self, name: str, document: Record, *, sync: bool = False) -> None:
        """Write a record as an indented JSON file."""
        self.write(name, encode_pretty(document), sync=sync)

    def read_document(self, name: str, kind: type[_T]) -> _T:
        """Read a file that `write_document` wrote; raises `MalformedDocument` when it is not."""
        return decode(self.root.read(name), kind, where=f"{self.path}/{name}")

    def files(self) -> Iterator[str]:
        """Yield every file that only custody writes; blobs and what is temporary aside."""
        for folder in self._folders():
            if layout.top_of(folder) == layout.BLOBS:
                continue
            with self.root.scan(folder) as entries:
                kept = (entry for entry in entries if not files.is_temporary(entry.name))
                names = [entry.name for entry in kept if not entry.is_dir(follow_symlinks=False)]
            yield from (_below(folder, name) for name in names)

    def temporaries(self, *tops: str) -> Iterator[str]:
        """Yield every temporary file or folder that a process has left, or is writing now."""
        for folder in self._folders(*tops):
            with self.root.scan(folder) as entries:
                names = [entry.name for entry in entries if files.is_temporary(entry.name)]
            yield from (_below(folder, name) for name in names)

    def empty_folders(self) -> Iterator[str]:
        """Yield every folder that only custody writes and that holds nothing."""
        for folder in self._folders():
            if folder and not self.root.names(folder):
                yield folder

    @property
    def name(self) -> str:
        """What the directory is called, whichever path led to it."""
        return os.path.basename(os.path.realpath(self.path))

    def read_evidence(self, evidence: Evidence) -> bytes:
        """Return the bytes that evidence stands for; raises `BlobDamaged` when they are lost.

        A text inside the evidence is enough: its file may be missing.
        """
        where = f"{self.path}/{evidence.path}"
        try:
            text = evidence.text
            data = self.root.read(evidence.path) if text is None else text.encode()
        except PathRefused as refused:
            raise BlobDamaged(refused.what, where=where) from refused
        if hashlib.sha256(data).hexdigest() != evidence.sha256:
            raise BlobDamaged("its content is not what the journal says", where=where)
        return data

    def set_aside(self, path: str) -> str:
        """Rename a file that does not count to ``<path>.lost.<n>``; return its new name."""
        return set_aside(self.root, path)

    def document(self, written: Evidence) -> bytes:
        """Return what a document held when it was written; raises `BlobDamaged` when it is lost.

        The file itself may hold what a later stage wrote.
        """
        text = written.text
        return self.blobs.get(written.sha256) if text is None else text.encode()

    def _folders(self, *tops: str) -> Iterator[str]:
        """Yield every lasting folder that only custody writes, before those in it, and ``tops``."""
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            yield folder
            if folder in (layout.BLOBS, *tops):
                continue  # its temporaries lie on top
            with self.root.scan(folder) as entries:
                kept = (entry for entry in entries if not files.is_temporary(entry.name))
                names = [entry.name for entry in kept if entry.is_dir(follow_symlinks=False)]
            if not folder:
                names = [n for n in names if n in tops or not layout.is_written_by_stages(n)]
            waiting += [_below(folder, name) for name in names]


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _locked(run_id: str, path: str) -> RunLocked:
    what = f"another process is at work on run {run_id}"
    return RunLocked(what, where=path, hint="wait for it, or end it")


def run_exists(run_id: str, path: str) -> RunExists:
    """Return the refusal of a run id that is taken."""
    hint = f"`custody resume {path}` continues it, `custody change advance RUN` a change"
    return RunExists(f"run {run_id} exists", where=path, hint=hint)


def _require_utf8() -> None:
    """Raise `UsageError` where names of files would not be what records say of them."""
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        raise UsageError(
            f"this process reads the names of files as {encoding}, and records hold UTF-8",
            hint="start Python with -X utf8, or set PYTHONUTF8=1",
        )


def _make_folder(path: str) -> list[str]:
    """Make a folder for its owner, and those above it; return the ones that have a new name.

    The last of them is there already, and will have.
    """
    changed = [path]
    while not os.path.isdir(changed[-1]):
        changed.append(os.path.dirname(changed[-1]))
    for missing in reversed(changed[:-1]):
        with suppress(FileExistsError):  # another run makes it as well
            os.mkdir(missing, OWNERS if missing == path else _ABOVE)
    return changed


class _Named(msgspec.Struct):
    """The part of a manifest that names the run; whatever else it holds."""

    run_id: str


def _run_id(root: Root) -> str:
    """Return the id that the manifest gives, or the folder's name where that cannot be read."""
    if not root.exists(layout.EVENTS):
        raise RunNotFound(f"not a run directory: {layout.EVENTS} is missing", where=root.path)
    try:
        return msgspec.json.decode(root.read(layout.MANIFEST), type=ready(_Named)).run_id
    except (PathRefused, msgspec.MsgspecError, UnicodeError, RecursionError):
        return os.path.basename(root.path)

"""What the last run over a source found in it: ``.sources/<device>.<inode>`` beside the runs.

By the path of each file: the inode, size and times under which it was read, and the sha256 of
what it held. A file that still has all of them holds the same, because nobody can set a change
time. Two kinds of files are therefore never kept: one that was changed so shortly before it was
read that a later change could bear the same times, and everything on a file system that keeps no
change times of its own. What a program stores through a mapping, in a page that it has changed
before and that is not on the disk yet, changes no times: the next run would not see it.

The files of each folder stay encoded until somebody takes that folder: the processes that do so
share the work, and nobody needs all of it.

Nothing depends on this: a cache that is missing, damaged, foreign or of another version is an
empty one. Who can write the runs directory can make it lie, as he can change the workspace. A run
then begins with another content than the source has; which one, its journal says.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import NamedTuple, Self

import msgspec

from custody.errors import PathRefused, StorageFailed
from custody.model import layout
from custody.model.record import ready
from custody.store.root import Root

MOST_FILES = 250_000
"""Files of one source at most: a cache of more takes longer to read than it saves."""
MOST_SOURCES = 16
_FOR_THE_OWNER = 0o700
"""It tells the names of a source's files, in a folder of runs that others may look into."""
"""Sources of one runs directory at most; the one that was used longest ago goes first."""

_VERSION = 2
_LIMIT = 64 << 20
_CHECK = hashlib.sha256().digest_size


class Known(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What was known of one file."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int
    sha256: str

    def is_still(self, state: os.stat_result) -> bool:
        """Whether a file is the one that was read, unchanged."""
        return (
            self.changed == state.st_ctime_ns
            and self.modified == state.st_mtime_ns
            and self.size == state.st_size
            and self.inode == state.st_ino
            and self.device == state.st_dev
        )


class _Stored(msgspec.Struct, array_like=True):
    version: int
    run_id: str
    tree: str
    size: int
    folders: dict[str, bytes]


_files = msgspec.msgpack.Decoder(ready(dict[str, Known]))


class HashCache(NamedTuple):
    """The files of one source by their folders, and the run that has their contents."""

    run_id: str = ""
    tree: str = ""
    """Sha256 of the listing with which that run began: all of the contents are in it."""
    size: int = 0
    """How many files there are."""
    folders: Mapping[str, bytes] = {}

    @classmethod
    def of(cls, run_id: str, tree: str, folders: Mapping[str, Mapping[str, Known]]) -> Self:
        """Return a cache of files, each by its folder and its name there."""
        count = sum(map(len, folders.values()))
        encode = msgspec.msgpack.Encoder().encode
        return cls(run_id, tree, count, {path: encode(files) for path, files in folders.items()})

    def files(self, folder: str) -> Mapping[str, Known]:
        """Return what is known of the files of a folder, by their names."""
        known = self.folders.get(folder)
        return {} if known is None else _files.decode(known)

    @classmethod
    def load(cls, runsdir: Root, source: os.stat_result) -> Self:
        """Return what is known of a source; nothing where there is nothing to be trusted."""
        try:
            data = runsdir.read(_path(source), limit=_LIMIT)
            check, body = data[:_CHECK], data[_CHECK:]
            if hashlib.sha256(body).digest() != check:
                return cls()
            stored = msgspec.msgpack.decode(body, type=_Stored)
        except (PathRefused, StorageFailed, msgspec.DecodeError):
            return cls()  # it is only a cache
        if stored.version != _VERSION:
            return cls()
        return cls(stored.run_id, stored.tree, stored.size, stored.folders)

    def save(self, runsdir: Root, source: os.stat_result) -> None:
        """Keep it for the next run, in the place of what was known before, if it can be kept.

        It is not synced: half of it is none.
        """
        if self.size > MOST_FILES:
            return
        stored = _Stored(_VERSION, self.run_id, self.tree, self.size, dict(self.folders))
        body = msgspec.msgpack.encode(stored)
        try:
            if not runsdir.exists(layout.SOURCES):
                runsdir.make_dir(layout.SOURCES, _FOR_THE_OWNER)
            _forget(runsdir, _path(source))
            runsdir.create(_path(source), hashlib.sha256(body).digest() + body, sync=False)
            _drop_oldest(runsdir)
        except (PathRefused, StorageFailed):
            return  # the disk is full, or another run was quicker: it is only a cache


def _path(source: os.stat_result) -> str:
    return layout.source(source.st_dev, source.st_ino)


def _forget(runsdir: Root, path: str) -> None:
    if runsdir.exists(path):
        runsdir.remove(path)


def _drop_oldest(runsdir: Root) -> None:
    with runsdir.scan(layout.SOURCES) as entries:
        found = sorted((entry.stat().st_mtime_ns, entry.name) for entry in entries)
    for _, name in found[:-MOST_SOURCES]:
        runsdir.remove(f"{layout.SOURCES}/{name}")

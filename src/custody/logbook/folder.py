"""Artifacts in a folder: ``blobs/<2>/<sha256>``, as in a run directory."""

from __future__ import annotations

from custody.errors import BlobDamaged, PathRefused, ResolveFailed, StorageFailed
from custody.evidence.failure import CHANGED, GONE, TOO_LARGE, UNREACHABLE
from custody.logbook.artifacts import sha256_of
from custody.model import layout
from custody.store.blobs import Blobs
from custody.store.private import make_private_folder
from custody.store.root import Root


class FolderArtifacts:
    """A store in a folder that is its owner's alone; several processes may put into it."""

    def __init__(self, path: str) -> None:
        """Open it; it is made where it is missing."""
        self.where = path
        make_private_folder(path)
        self._root = Root.open(path)
        self._blobs = Blobs(self._root)

    def put(self, data: bytes) -> str:
        """Write bytes under their hash."""
        return layout.blob_name(self._blobs.put(data))

    def holds(self, key: str) -> bool:
        """Read the bytes of a key, if there are any; they are synced again with what is put."""
        try:
            self.read(key)
        except ResolveFailed:
            return False
        self._blobs.made([sha256_of(key)])
        return True

    def settle(self) -> None:
        """Sync what was written."""
        self._blobs.sync()

    def read(self, key: str) -> bytes:
        """Return the bytes of a key, hashed again."""
        sha256 = sha256_of(key)
        try:
            return self._blobs.get(sha256)
        except BlobDamaged as damaged:
            raise ResolveFailed(_code(damaged), damaged.what, where=damaged.where) from damaged
        except (PathRefused, StorageFailed) as failed:
            raise ResolveFailed(UNREACHABLE, failed.what, where=failed.where) from failed

    def close(self) -> None:
        """Close the folder."""
        self._blobs.close()
        self._root.close()


def _code(damaged: BlobDamaged) -> str:
    """Return what a damaged blob means: other bytes are there, too many, or none."""
    cause = damaged.__cause__
    if not isinstance(cause, PathRefused):
        return CHANGED
    return TOO_LARGE if cause.code == "too_large" else GONE

"""Gives all blobs of one run to another: checked, and linked where that is possible."""

from __future__ import annotations

from collections.abc import Sequence

from custody.store.blob_folder import BlobFolder
from custody.store.blobs import Blobs
from custody.store.os_errors import failure
from custody.store.workers import at_work, piece_size, processes


def share(source: Blobs, target: Blobs) -> None:
    """Put every blob into another run as well; raises `BlobDamaged` when one is not whole.

    They are as durable as everything that is put: after `Blobs.sync`.
    """
    names = list(source.names())
    if not names:
        return
    size = piece_size(len(names))
    pieces = [names[begin : begin + size] for begin in range(0, len(names), size)]
    work = _Share(source.folder, target.folder, pieces)
    with at_work(work, processes(len(names))) as workers:
        not_linked = b"".join(workers.results()).decode().split()
    target.made(set(names).difference(not_linked))
    for sha256 in not_linked:
        target.put_blob(source, sha256)


class _Share:
    """The work of checking and linking, in pieces of some blobs."""

    def __init__(
        self, source: BlobFolder, target: BlobFolder, pieces: Sequence[Sequence[str]]
    ) -> None:
        self._source = source
        self._target = target
        self._pieces = pieces

    @property
    def count(self) -> int:
        """How many pieces there are."""
        return len(self._pieces)

    def do(self, number: int) -> bytes:
        """Check and link the blobs of one piece; return those that cannot be linked."""
        return b"".join(
            b"%s " % sha256.encode() for sha256 in self._pieces[number] if not self._link(sha256)
        )

    def undo(self, _number: int) -> None:
        """Leave what is there: a link is never half."""

    def _link(self, sha256: str) -> bool:
        try:
            self._source.check(sha256)
            return self._target.link(self._source, sha256)
        except OSError as error:
            raise failure(error, self._target.where(sha256)) from error

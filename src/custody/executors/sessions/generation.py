"""The folder of one generation of a session, named by its token: what is written to it and read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import TypeVar

from custody.errors import CustodyError, MalformedDocument
from custody.model import layout
from custody.model import session as names
from custody.model.record import Document, decode, encode
from custody.model.session import Beat, Ended, Fenced, SessionOrder, Stamp
from custody.store.files import READ, is_temporary, read_to_end
from custody.store.mailbox import Box, Mailbox
from custody.store.root import READ_LIMIT, Root
from custody.store.wake import Wake

_TAIL = 2048
_T = TypeVar("_T", bound=Document)


class Generation:
    """One generation of a session."""

    def __init__(self, root: Root, session: str, token: int) -> None:
        self._root = root
        self.session = session
        self.token = token
        self.path = layout.generation_folder(session, token)
        """Relative to the run directory."""
        box = f"{self.path}/{names.BOX}"
        self.mailbox = Mailbox(
            Box(root, f"{box}/{names.QUEUE}", ".json"), Box(root, f"{box}/{names.ACK}", ".json")
        )
        self.claims = Box(root, f"{box}/{names.CLAIM}", ".json")
        self.wake = Wake(root, f"{box}/{names.WAKE}")
        self._kept = Box(root, f"{box}/{names.KEPT}", ".json")
        """The acks of one that is fenced."""
        self._ignored = Box(root, f"{self.path}/{names.IGNORED}", "")
        self._accepted = Box(root, f"{self.path}/{names.ACCEPTED}", "")

    @classmethod
    def create(cls, root: Root, order: SessionOrder) -> Generation:
        """Make the folder, durably, with everything that the watcher needs.

        From then on the watcher of every older one ends its program.
        """
        one = cls(root, order.kind.name, order.token)
        for name in (names.QUEUE, *names.WRITABLE):
            root.make_dirs(f"{one.path}/{names.BOX}/{name}", sync=True)
        root.create(f"{one.path}/{names.LEASE}", b"")
        root.create(f"{one.path}/{names.ORDER}", encode(order))
        return one

    def is_whole(self) -> bool:
        """Whether everything is there that the watcher needs."""
        return self._root.exists(f"{self.path}/{names.ORDER}")

    @property
    def order(self) -> SessionOrder:
        """What the watcher was told."""
        path = f"{self.path}/{names.ORDER}"
        return decode(self._root.read(path), SessionOrder, where=path)

    def renew(self) -> None:
        """Renew the lease."""
        self._root.touch(f"{self.path}/{names.LEASE}")

    def open_log(self, flags: int) -> int:
        """Open the file for what the watcher and its launcher print."""
        return self._root.open_fd(f"{self.path}/{names.WATCHER_LOG}", flags)

    def beat(self) -> Beat | None:
        """Return the last heartbeat; None when there was none."""
        return self._read(names.BEAT, Beat)

    def ended(self) -> Ended | None:
        """Return how it ended; None as long as it has not."""
        return self._read(names.ENDED, Ended)

    def fenced(self) -> Fenced | None:
        """Return since when its acks do not count; None as long as they do."""
        return self._read(names.FENCED, Fenced)

    def ready(self) -> bool:
        """Whether the program takes requests."""
        return names.READY in self._root.names(f"{self.path}/{names.BOX}/{names.STATE}")

    def heartbeat(self) -> int:
        """Return when the program has touched its own heartbeat; 0 as long as it has not."""
        try:
            return self._root.stat(
                f"{self.path}/{names.BOX}/{names.STATE}/{names.HEARTBEAT}"
            ).st_mtime_ns
        except CustodyError:
            return 0  # what stands there is the program's own

    def printed(self) -> tuple[bytes, bytes]:
        """Return everything that the program has printed by now, both streams."""
        return self._whole(names.STDOUT), self._whole(names.STDERR)

    def log(self) -> bytes:
        """Return what the watcher and its launcher have printed."""
        return self._whole(names.WATCHER_LOG)

    def ask_to_close(self) -> None:
        """Let the watcher end the program with its next beat."""
        if not self._root.exists(f"{self.path}/{names.CLOSE}"):
            self._root.create(f"{self.path}/{names.CLOSE}", b"")

    def fence(self, by: int) -> None:
        """Let no further ack count, durably.

        The folder of the acks gets another name, so that a program which does not know yet finds
        no place for one. Nothing can come of a generation that was never whole.
        """
        if not self.is_whole():
            return
        here = f"{self.path}/{names.BOX}"
        if names.KEPT not in self._root.names(here):
            self._root.rename(f"{here}/{names.ACK}", f"{here}/{names.KEPT}")
            self._root.sync_dir(here)
        if self.fenced() is None:
            fenced = Fenced(by=by, acks=tuple(self._kept.keys()))
            self._root.create(f"{self.path}/{names.FENCED}", encode(fenced))

    def tidy(self) -> None:
        """Remove what nobody needs of one that is given up: its cache, and what is half written."""
        for name in self._root.names(self.path):
            if is_temporary(name) or (name == names.CACHE and self.ended() is not None):
                self._root.remove_tree(f"{self.path}/{name}")
        self.wake.remove()

    def counted(self, key: str) -> bytes | None:
        """Return the ack to a request; None without one, or when it came after the fence."""
        fenced = self.fenced()
        if fenced is None:
            return self.mailbox.acks.get(key)
        return self._kept.get(key) if key in fenced.acks else None

    def late(self) -> Iterator[tuple[str, bytes]]:
        """Yield acks that came after it was fenced, each as long as it is not set aside."""
        fenced = self.fenced()
        if fenced is None:
            return
        for box in (self._kept, self.mailbox.acks):
            for key in box.keys():  # noqa: SIM118 - a box is no mapping
                if key not in fenced.acks and not self._ignored.has(key):
                    yield key, box.get(key) or b""

    def accept(self, key: str, sha256: str) -> None:
        """Let the ack to a request be the one that has this sha256, and no other."""
        self._accepted.put(key, sha256.encode())

    def strangers(self) -> Iterator[tuple[str, bytes]]:
        """Yield acks that nobody asked for, and those in the place of one that was accepted.

        Each comes until it is set aside.
        """
        asked = set(self.mailbox.requests.keys())
        for key in self.mailbox.acks.keys():  # noqa: SIM118 - a box is no mapping
            data = self.mailbox.acks.get(key) or b""
            accepted = self._accepted.get(key)
            if accepted is None and key in asked:
                continue
            if accepted == _digest(data) or self._ignored.has(key):
                continue
            yield key, data

    def set_aside(self, key: str) -> None:
        """Take note that a late ack was recorded."""
        self._ignored.put(key, b"")

    def wrong_with(self, data: bytes, key: str) -> str:
        """Return what is wrong with the stamp of an ack to a request; empty when nothing is."""
        try:
            stamp = decode(data, Stamp, where=self.path)
        except MalformedDocument as malformed:
            return f"the ack cannot be read: {malformed.what}"
        if stamp.token != self.token:
            return f"the ack is of token {stamp.token}, not of {self.token}"
        if stamp.request_id != key:
            return f"the ack answers {stamp.request_id!r}, not {key!r}"
        return ""

    def streams(self) -> tuple[bytes, bytes]:
        """Return the ends of what the program has printed, both streams.

        Where it was never started, that of the errors is what its launcher has said.
        """
        began = self.beat() is not None
        return self._tail(names.STDOUT), self._tail(names.STDERR if began else names.WATCHER_LOG)

    def _whole(self, name: str) -> bytes:
        """Return what stands in a file that may be growing."""
        path = f"{self.path}/{name}"
        if not self._root.exists(path):
            return b""
        descriptor = self._root.open_fd(path, READ)
        try:
            return read_to_end(descriptor, READ_LIMIT)
        finally:
            os.close(descriptor)

    def _tail(self, name: str) -> bytes:
        return self._whole(name)[-_TAIL:]

    def _read(self, name: str, kind: type[_T]) -> _T | None:
        """Return a document of the folder, which is listed first for the reason of `Box.has`."""
        if name not in self._root.names(self.path):
            return None
        path = f"{self.path}/{name}"
        return decode(self._root.read(path), kind, where=path)


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def tokens(root: Root, session: str) -> list[int]:
    """Return the tokens under which a session was opened, in order."""
    folder = layout.session_folder(session)
    if not root.exists(folder):
        return []
    return sorted(int(name) for name in root.names(folder) if name.isdecimal())

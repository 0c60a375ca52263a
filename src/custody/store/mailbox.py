"""Requests and acks as files that are each written once.

A mailbox is two boxes, folders of a run directory: whoever asks puts a request into the one,
whoever does the work puts its ack into the other. Who uses a mailbox names its folders and the
files in them:

    queue/<key>.json    ack/<key>.json     a session
    outbox/<key>.md     inbox/<key>.md     a person

A file is durable before it can be seen, and it never changes: of two writers of one key the first
one stays for ever. A writer that is killed half-way leaves nothing that can be seen. The other
side may be a program that can do anything inside its box, on another machine too: it is believed
neither to link nor to name its files well, and it is waited for by looking again and again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import NamedTuple

from custody.errors import PathRefused
from custody.store.root import Root

FILE_LIMIT = 16 << 20
"""Most bytes of one file of a box."""
FIRST_PAUSE, LONGEST_PAUSE = 0.001, 0.05
"""Seconds between two looks: they grow from the first to the longest."""
_SHARE = 8
"""What part of the time that was waited by now is waited until the next look."""
_LISTING, _RARER = 0.2, 1000
"""Seconds between two listings, or how many times as long as one took, whichever is more."""

_LINKS = 2
"""A writer that publishes by a link has two names for its file, also after it was killed."""
_LOOKS = 100
"""How often a file is read that loses its other name meanwhile."""
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,249}"
_KEY = re.compile(rf"{_PART}(?:/{_PART})*")


class Box:
    """A folder whose files are each written once."""

    def __init__(self, root: Root, folder: str, suffix: str) -> None:
        self._root = root
        self._folder = folder
        self._suffix = suffix

    def path(self, key: str) -> str:
        """Return where the file of ``key`` belongs; raises `PathRefused` for what is no key."""
        if not _KEY.fullmatch(key) or not _KEY.fullmatch(self._folder):
            raise PathRefused("request_id", f"{key!r} cannot name a file", where=self._root.path)
        return f"{self._folder}/{key}{self._suffix}"

    def key(self, path: str) -> str:
        """Return the key whose file belongs at ``path``; raises `PathRefused` when none does."""
        key = path.removeprefix(f"{self._folder}/").removesuffix(self._suffix)
        if self.path(key) != path:
            raise PathRefused("request_id", f"{path!r} is not in {self._folder}/")
        return key

    def put(self, key: str, data: bytes) -> bool:
        """Write a file, durable on return; False when there is one already, which stays."""
        try:
            self._root.create(self.path(key), data)
        except PathRefused as refused:
            if refused.code == "exists":
                return False
            raise
        return True

    def get(self, key: str) -> bytes | None:
        """Return what was put there; None when nothing was.

        Raises `PathRefused` for what is no plain file, or one that is too large or changes.
        """
        for _ in range(_LOOKS):
            if (found := self.glance(key)) is not None or not self.has(key):
                return found
        raise PathRefused("changed_during_read", "it never holds still", where=self.path(key))

    def glance(self, key: str) -> bytes | None:
        """Return the same by one quick look, which may miss what was put there just now."""
        try:
            return self._root.read(self.path(key), limit=FILE_LIMIT, links=_LINKS)
        except PathRefused as refused:
            if refused.code in {"missing", "changed_during_read"}:
                return None
            raise

    def has(self, key: str) -> bool:
        """Whether something was put there.

        The folder is listed, because network file systems remember for a while that a name was
        missing.
        """
        folder, _, name = self.path(key).rpartition("/")
        try:
            return name in self._root.names(folder)
        except PathRefused as refused:
            if refused.code == "missing":
                return False
            raise

    def stands(self, key: str) -> bool:
        """Return the same by one quick look, which may miss what was put there just now."""
        return self._root.exists(self.path(key))

    def keys(self) -> list[str]:
        """Return the keys whose files lie in the folder itself, in order."""
        try:
            names = self._root.names(self._folder)
        except PathRefused as refused:
            if refused.code == "missing":
                return []
            raise
        ours = (name.removesuffix(self._suffix) for name in names if name.endswith(self._suffix))
        return sorted(key for key in ours if _KEY.fullmatch(key))

    def holding(self, data: bytes) -> str:
        """Return the first key whose file holds exactly ``data``; empty when none does."""
        return next((key for key in self.keys() if self.get(key) == data), "")


def box_of(root: Root, path: str) -> tuple[Box, str]:
    """Return the box that a path of the run directory lies in, and the key of its file."""
    folder, _, name = path.partition("/")
    key, dot, suffix = name.rpartition(".")
    return Box(root, folder, f"{dot}{suffix}"), key


class Mailbox(NamedTuple):
    """Where requests are put, and where their acks appear."""

    requests: Box
    acks: Box

    def wait(
        self, key: str, seconds: float, go_on: Callable[[], bool] = lambda: True
    ) -> bytes | None:
        """Wait for an ack, at most so long and as long as ``go_on`` says so; None without one.

        It is looked for once more after the time is up, and after ``go_on`` has said no.
        """
        began = time.monotonic()
        listing = began + _LISTING
        while True:
            looked = time.monotonic()
            found = self.acks.get(key) if looked >= listing else self.acks.glance(key)
            now = time.monotonic()
            if found is not None:
                return found
            if looked >= listing:
                listing = now + max(_LISTING, _RARER * (now - looked))
            left = began + seconds - now
            if left <= 0 or not go_on():
                return self.acks.get(key)
            pause = min(max(FIRST_PAUSE, (now - began) / _SHARE), LONGEST_PAUSE)
            time.sleep(min(pause, left))

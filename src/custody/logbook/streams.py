"""What a program prints, read as it comes and never all at once."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple

from custody.errors import Refused, UsageError
from custody.store.places import is_folder

_PIECE = 1 << 18


class ProgramOutput:
    """A program at work whose output is read in pieces."""

    def __init__(self, process: subprocess.Popen[bytes], complaints: int) -> None:
        self._process = process
        self._complaints = complaints
        self.code: int | None = None
        """With which exit code it ended; None before that."""

    def pieces(self) -> Iterator[bytes]:
        """Yield what it prints, until it ends."""
        if self._process.stdout is not None:
            while piece := os.read(self._process.stdout.fileno(), _PIECE):
                yield piece

    def all(self) -> bytes:
        """Return all that it prints: for what is known to be short."""
        return b"".join(self.pieces())

    def complaint(self) -> str:
        """Return what it has said on standard error so far."""
        return os.pread(self._complaints, _PIECE, 0).decode(errors="replace").strip()

    def end(self) -> None:
        """Wait for its end; what it still wants to print is not wanted."""
        self.close()
        self.code = self._process.wait()

    def close(self) -> None:
        """Read no more of it."""
        if self._process.stdout is not None:
            self._process.stdout.close()


@contextmanager
def reading(
    words: list[str],
    *,
    cwd: str,
    environment: Mapping[str, str],
    given: bytes = b"",
    fine: tuple[int, ...] = (0,),
) -> Iterator[ProgramOutput]:
    """Run a program, which is told ``given`` and nothing else; it does not outlive the block.

    Raises `Refused` with code ``program`` when it fails, with what it complained of.
    """
    complaints = os.memfd_create("complaints", os.MFD_CLOEXEC)
    try:
        process = _start(words, cwd, environment, complaints)
        teller = threading.Thread(target=_tell, args=(process.stdin, given), daemon=True)
        teller.start()
        program = ProgramOutput(process, complaints)
        try:
            yield program
            program.end()
        finally:
            process.kill()
            process.wait()
            teller.join()
            program.close()
        if program.code not in fine:
            said = program.complaint() or f"exit code {program.code}"
            raise Refused("program", f"{words[0]}: {said}", where=cwd)
    finally:
        os.close(complaints)


def _start(
    words: list[str], cwd: str, environment: Mapping[str, str], complaints: int
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            words,
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
        )
    except OSError as error:
        if not is_folder(cwd):
            raise UsageError("there is no such folder", where=cwd) from None
        if not isinstance(error, FileNotFoundError):
            raise
        raise UsageError(f"{words[0]} is not installed") from None


def _tell(stdin: IO[bytes] | None, given: bytes) -> None:
    if stdin is None:
        return
    with suppress(BrokenPipeError):  # it ended before it had heard all: its exit code tells why
        stdin.write(given)
    with suppress(BrokenPipeError):
        stdin.close()


class StreamPart(NamedTuple):
    """What stands between two marks of a stream."""

    text: bytes
    """Its first bytes, all of them where it is not larger than what is kept."""
    size: int
    lines: int
    """How often a line ends in it."""


def parts(pieces: Iterable[bytes], mark: bytes, limit: int) -> Iterator[StreamPart]:
    """Cut a stream at each ``mark``, and keep ``limit`` bytes of each part.

    What stands before the first mark is a part too. The end of the stream counts as a mark, of
    which its last byte may be the first.
    """
    part, rest = _Growing(limit), bytearray()
    for piece in pieces:
        rest += piece
        begin = 0
        while (end := rest.find(mark, begin)) >= 0:
            part.add(rest[begin:end])
            yield part.taken()
            part, begin = _Growing(limit), end + len(mark)
        # Of the rest a mark may have begun in the last bytes.
        certain = max(begin, len(rest) - len(mark) + 1)
        part.add(rest[begin:certain])
        del rest[:certain]
    part.add(rest.removesuffix(mark[:1]))
    yield part.taken()


class _Growing:
    """A part whose end has not come yet."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._size = 0
        self._lines = 0

    def add(self, more: bytearray) -> None:
        self._kept += more[: self._limit - len(self._kept)]
        self._size += len(more)
        self._lines += more.count(b"\n")

    def taken(self) -> StreamPart:
        return StreamPart(bytes(self._kept), self._size, self._lines)

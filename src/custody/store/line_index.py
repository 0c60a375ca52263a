"""Where the lines of a journal lie, and which of them count: some 40 bytes a line. No I/O.

A changed pipeline sets lines aside: `PipelineReplaced` at line ``s`` with ``kept_seq`` ``k`` means
that the lines between ``k`` and ``s`` no longer count. This is the one place that knows the rule.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from custody.model.event import FACTS, AnyFact, JournalLine
from custody.patterns import later

_DIGEST_SIZE = 32
_SHA256 = later("[0-9a-f]{64}")
_KINDS = tuple(FACTS.values())
_NUMBERS = {name: number for number, name in enumerate(FACTS)}


class LineIndex:
    """Offset, digest and kind of every line, and the lines of each node that count."""

    def __init__(self) -> None:
        self._starts = array("Q", [0])
        self._digests = bytearray()
        self._kinds = bytearray()
        self._nodes: dict[str, array[int]] = {}
        self._gaps: list[tuple[int, int]] = []
        self.cut: set[str] = set()
        """Nodes of which lines no longer count."""

    def __len__(self) -> int:
        return len(self._kinds)

    @property
    def end(self) -> int:
        """Where the next line will begin."""
        return self._starts[-1]

    def add(self, line: JournalLine, size: int, digest: str) -> None:
        """Take one more line of ``size`` bytes, its newline counted."""
        self._starts.append(self.end + size)
        self._digests += bytes.fromhex(digest)
        self._kinds.append(_NUMBERS[line.event])
        if line.node is not None:
            if line.node not in self._nodes:
                self._nodes[line.node] = array("Q")
            self._nodes[line.node].append(line.seq)

    def set_aside(self, kept: int, at: int) -> None:
        """Let the lines between ``kept`` and ``at`` no longer count."""
        self._gaps.append((kept, at))
        for node, lines in self._nodes.items():
            while lines and kept < lines[-1] < at:
                lines.pop()
                self.cut.add(node)

    def counting(self, first: int = 0, last: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield the first and the last line of every unbroken row of lines that count."""
        end = len(self) - 1 if last is None else last
        for kept, at in sorted(self._gaps):
            if first <= min(kept, end):
                yield first, min(kept, end)
            first = max(first, at)
        if first <= end:
            yield first, end

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return where a row of lines begins, and where it ends."""
        return self._starts[first], self._starts[last + 1]

    def digest(self, seq: int) -> bytes:
        """Return the sha256 of a line."""
        return bytes(self._digests[seq * _DIGEST_SIZE : (seq + 1) * _DIGEST_SIZE])

    def find(self, digest: str) -> int | None:
        """Return the line that has a sha256; None when there is none."""
        if _SHA256.fullmatch(digest) is None:
            return None
        wanted = bytes.fromhex(digest)
        at = self._digests.find(wanted)
        while at >= 0 and at % _DIGEST_SIZE:
            at = self._digests.find(wanted, at + 1)
        return None if at < 0 else at // _DIGEST_SIZE

    def kind(self, seq: int) -> type[AnyFact]:
        """Return what kind of fact a line holds."""
        return _KINDS[self._kinds[seq]]

    def of_node(self, node: str) -> Sequence[int]:
        """Return the lines about a node that count, in order; none when it was never entered."""
        return self._nodes.get(node, ())

    def nodes(self) -> Iterator[str]:
        """Yield every node that lines are about."""
        return iter(self._nodes)

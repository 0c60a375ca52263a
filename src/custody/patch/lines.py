"""Which lines two texts share, in time that grows with them and no faster.

Equal beginnings and ends come first. What is left between them is compared as git does it, for the
fewest changes (Myers 1986), as long as these are few. Where they are many, lines that stand once on
either side divide it further; where there are none of these, the way that came furthest is taken
and the rest begins anew. When the effort is spent, what is left counts as replaced. The result is
always right; it is only the shortest where that is cheap.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

FEW = 100
"""Most changes for which the shortest way is looked for."""
EFFORT = 40
"""How often, on average, a line may be looked at."""
_LEAST = 1 << 18


class Block(NamedTuple):
    """Lines that both texts hold."""

    old: int
    new: int
    size: int

    @property
    def old_end(self) -> int:
        """The line of the old text after it."""
        return self.old + self.size

    @property
    def new_end(self) -> int:
        """The line of the new text after it."""
        return self.new + self.size


class Region(NamedTuple):
    """A piece of either text."""

    old: int
    old_end: int
    new: int
    new_end: int


def split_lines(content: bytes) -> list[bytes]:
    """Return the lines with their newlines; only the last may lack it."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def differences(old: Sequence[bytes], new: Sequence[bytes]) -> list[Region]:
    """Return where two texts differ, in order."""
    numbers: dict[bytes, int] = {}
    matcher = _Matcher(
        [numbers.setdefault(line, len(numbers)) for line in old],
        [numbers.setdefault(line, len(numbers)) for line in new],
    )
    found: list[Region] = []
    at = there = 0
    for block in (*matcher.blocks(), Block(len(old), len(new), 0)):
        if at < block.old or there < block.new:
            found.append(Region(at, block.old, there, block.new))
        at, there = block.old_end, block.new_end
    return found


class _Matcher:
    def __init__(self, old: list[int], new: list[int]) -> None:
        self._old = old
        self._new = new
        self._effort = _LEAST + EFFORT * (len(old) + len(new))

    def blocks(self) -> list[Block]:
        found: list[Block] = []
        waiting: list[Block | Region] = [Region(0, len(self._old), 0, len(self._new))]
        while waiting:
            item = waiting.pop()
            if isinstance(item, Block):
                found.append(item)
            else:
                waiting.extend(reversed(self._divide(item)))
        return [block for block in found if block.size]

    def _divide(self, region: Region) -> list[Block | Region]:
        """Return what a region is made of, in order: blocks, and regions that are smaller."""
        old, old_end, new, new_end = region
        self._effort -= old_end - old + new_end - new
        while old < old_end and new < new_end and self._old[old] == self._new[new]:
            old, new = old + 1, new + 1
        while old < old_end and new < new_end and self._old[old_end - 1] == self._new[new_end - 1]:
            old_end, new_end = old_end - 1, new_end - 1
        first = Block(region.old, region.new, old - region.old)
        last = Block(old_end, new_end, region.old_end - old_end)
        if old == old_end or new == new_end or self._effort < 0:
            return [first, last]
        return [first, *self._middle(Region(old, old_end, new, new_end)), last]

    def _middle(self, region: Region) -> list[Block | Region]:
        """Divide a region that has neither beginning nor end in common."""
        way = self._shortest(region)
        if way[-1].old_end == region.old_end and way[-1].new_end == region.new_end:
            return list(way)
        return self._anchored(region) or [
            *way, Region(way[-1].old_end, region.old_end, way[-1].new_end, region.new_end)
        ]  # fmt: skip

    def _shortest(self, region: Region) -> list[Block]:
        """Return the lines that are shared on the way with the fewest changes.

        It ends where the region does, or where it came to with as many as there may be.
        ``reached[k]`` is how far the old text is read on diagonal ``k``, where ``k`` is by how much
        more of it is read than of the new one.
        """
        old, old_end, new, new_end = region
        size, other = old_end - old, new_end - new
        reached = {1: 0}
        history: list[dict[int, int]] = []
        for changes in range(FEW + 1):
            history.append(dict(reached))
            for k in range(-changes, changes + 1, 2):
                down = k == -changes or (k != changes and reached[k - 1] < reached[k + 1])
                x = begin = reached[k + 1] if down else reached[k - 1] + 1
                while x < size and x - k < other and self._old[old + x] == self._new[new + x - k]:
                    x += 1
                reached[k] = x
                self._effort -= 1 + x - begin
                if x >= size and x - k >= other:
                    return _way_back(history, region, x, x - k)
            if self._effort < 0:
                break
        inside = [
            (2 * x - k, x, x - k)
            for k in range(-changes, changes + 1, 2)
            if (x := reached[k]) <= size and 0 <= x - k <= other
        ]
        _, x, y = max(inside)
        return _way_back(history, region, x, y)

    def _anchored(self, region: Region) -> list[Block | Region]:
        """Divide a region at lines that stand once on either side; empty when there are none."""
        anchors = _in_order(self._unique(region))
        parts: list[Block | Region] = []
        old, new = region.old, region.new
        for at, there in anchors:
            parts += [Region(old, at, new, there), Block(at, there, 1)]
            old, new = at + 1, there + 1
        return [*parts, Region(old, region.old_end, new, region.new_end)] if anchors else []

    def _unique(self, region: Region) -> list[tuple[int, int]]:
        """Return where lines stand that are there once on either side, in the old order."""
        old, old_end, new, new_end = region
        counts = Counter(self._old[old:old_end])
        others = Counter(self._new[new:new_end])
        place = {
            number: at
            for at, number in enumerate(self._new[new:new_end], new)
            if others[number] == 1 and counts[number] == 1
        }
        return [(at, place[n]) for at, n in enumerate(self._old[old:old_end], old) if n in place]


def _way_back(history: list[dict[int, int]], region: Region, x: int, y: int) -> list[Block]:
    """Return the blocks of the way that led to a place; the last one ends there."""
    blocks: list[Block] = []
    for changes in range(len(history) - 1, -1, -1):
        reached, k = history[changes], x - y
        down = k == -changes or (k != changes and reached[k - 1] < reached[k + 1])
        begin = reached[k + 1] if down else reached[k - 1] + 1
        blocks.append(Block(region.old + begin, region.new + begin - k, x - begin))
        x = begin if down else begin - 1
        y = begin - k - 1 if down else begin - k
    return blocks[::-1]


def _in_order(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most pairs that rise on both sides; they rise on the first already."""
    ends: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    for number, (_, there) in enumerate(pairs):
        at = bisect_left(ends, there)
        before.append(chosen[at - 1] if at else -1)
        ends[at : at + 1] = [there]
        chosen[at : at + 1] = [number]
    found: list[tuple[int, int]] = []
    number = chosen[-1] if chosen else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]

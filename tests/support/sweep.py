"""Which points of a sweep are tried, and how one that failed is tried again.

A sweep goes over everything that may happen at some place: each system call at which a run can
be killed, each moment, each disk that a power failure can leave. One run of the tests draws
some points of each sweep, by a seed that its header names; ``make soak`` tries them all.

    CUSTODY_SEED   draws the points. Without it every run has another seed, so that each point
                   has its turn; in CI it comes from the commit, so that a commit which is judged
                   again is judged the same
    CUSTODY_SOAK   nothing is drawn, everything is tried; what has no end (races, kills at
                   moments of chance) is tried as many times as long as this number says
    CUSTODY_POINT  this one point only

The seed is put into the environment: xdist's workers draw the same, and so does any pytest that a
test starts.
"""

from __future__ import annotations

import os
import random
import secrets
import shlex
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from traceback import format_exception
from typing import TypeVar

import pytest

P = TypeVar("P")
Q = TypeVar("Q")

REPEAT = "repeat"
"""The name under which a report carries a command that repeats one point."""


def _new_seed() -> int:
    commit = _commit() if os.environ.get("CI") == "true" else ""
    return int(commit[:8], 16) if commit else secrets.randbelow(1 << 32)


def _commit() -> str:
    """Return the commit that is tested; empty outside of a clone."""
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--verify", "--quiet", "HEAD"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


SEED = int(os.environ.get("CUSTODY_SEED") or _new_seed())
os.environ["CUSTODY_SEED"] = str(SEED)
SOAK = float(os.environ.get("CUSTODY_SOAK") or 0)
POINT = os.environ.get("CUSTODY_POINT", "")


def header() -> str:
    """Return how this run chooses its points, for pytest's header."""
    if SOAK:
        return f"sweeps: every point, long budgets times {SOAK:g}, CUSTODY_SEED={SEED}"
    return f"sweeps: points drawn by CUSTODY_SEED={SEED}; `make soak` tries them all"


def budget(some: float, soak: float) -> float:
    """Return how much is tried of what has no end: so many seconds, rounds or moments."""
    return soak * SOAK if SOAK else some


def examples(number: int) -> int:
    """Return how many examples of a property are tried, where so many are enough for a test."""
    return round(budget(number, 20 * number))


def chunks(number: int) -> range:
    """Return into how many tests a sweep is split in a soak; a drawn one stays whole."""
    return range(number if SOAK else 1)


def chance(*about: object) -> random.Random:
    """Return chance that the seed fixes; what it is about keeps one sweep's from another's."""
    return random.Random(" ".join(map(str, (SEED, *about))))


def drawn(
    points: Sequence[P],
    every: float,
    by: random.Random,
    kind: Callable[[P], str] = lambda _: "",
    most: int = sys.maxsize,
) -> list[P]:
    """Return one of ``every`` so many points, in their order, and of each kind at least one.

    Where these are more than ``most``, so many of them are drawn in turn.
    """
    kinds: dict[str, list[int]] = {}
    for index, point in enumerate(points):
        kinds.setdefault(kind(point), []).append(index)
    chosen = [
        index
        for group in kinds.values()
        for index in by.sample(group, max(1, round(len(group) / every)))
    ]
    if len(chosen) > most:
        chosen = by.sample(chosen, most)
    return [points[index] for index in sorted(chosen)]


def some(about: str, things: Iterable[P], number: int) -> list[P]:
    """Return so many of many things that are alike, drawn by the seed; in a soak all of them.

    It is for the parameters of a test of which each says the same about another thing.
    """
    things = list(things)
    return things if SOAK else drawn(things, len(things) / number, chance("some", about))


def paired(about: str, things: Iterable[P], others: Sequence[Q]) -> list[tuple[P, Q]]:
    """Return the parameters of a test that would try each thing with each of the others.

    A soak tries all of them. Else each thing is tried with one of the others, which take turns in
    an order that the seed draws: nothing is left out, and every pair comes about in some runs.
    """
    things = list(things)
    if SOAK:
        return list(product(things, others))
    turns = chance("paired", about).sample(others, len(others))
    return [(thing, turns[number % len(turns)]) for number, thing in enumerate(things)]


def turn(about: str, others: Sequence[Q]) -> list[Q]:
    """Return one of several places where the same would be tried, drawn; in a soak all of them."""
    return [other for _, other in paired(about, [about], others)]


class Sweep:
    """The sweep of one test."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._name = item.nodeid.partition("[")[0]

    def points(
        self,
        found: Sequence[P],
        *,
        every: float,
        about: str = "",
        kind: Callable[[P], str] = lambda _: "",
        must: Collection[str] = (),
        most: int = sys.maxsize,
        chunk: int = 0,
        chunks: int = 1,
    ) -> list[P]:
        """Return the points to try: all in a soak, else those drawn by the seed.

        ``must`` names kinds of points that have to be among those found: what a sweep is there
        for cannot get lost unnoticed. ``most`` bounds how many are tried, however many kinds
        there are. A sweep that is split draws the same in each chunk.
        """
        lost = set(must) - set(map(kind, found))
        assert not lost, f"the sweep has lost points: {sorted(lost)}"
        if POINT:
            return self._named(found)
        by = chance(self._name, about)
        tried = list(found) if SOAK else drawn(found, every, by, kind, most)
        return tried[chunk::chunks]

    def moments(self, number: int, *, chunk: int = 0, chunks: int = 1) -> list[float]:
        """Return so many parts of a whole, one drawn from each equal share of it."""
        if POINT:
            return [float(POINT)]
        by = chance(self._name, "moments")
        parts = [round((share + by.random()) / number, 4) for share in range(number)]
        return parts[chunk::chunks]

    def over(self, points: Sequence[P], attempt: Callable[[P], str | None]) -> None:
        """Try every point; fail with each at which ``attempt`` raised, or told of trouble.

        A failed point is told with the command that tries it again.
        """
        told = [
            f"{point}: {trouble}\n  {self.command(point)}"
            for point in points
            if (trouble := self._trouble(attempt, point))
        ]
        if told:
            pytest.fail("\n".join(told), pytrace=False)
        assert points, "the sweep has tried nothing"

    def command(self, point: object) -> str:
        """Return the line that tries one point of this test again."""
        return repeat(self._item.nodeid, str(point))

    def _named(self, found: Sequence[P]) -> list[P]:
        named = [point for point in found if str(point) == POINT]
        assert named, f"CUSTODY_POINT is none of {[*map(str, found)]}"
        return named

    def _trouble(self, attempt: Callable[[P], str | None], point: P) -> str:
        try:
            trouble = attempt(point) or ""
        except Exception as error:  # noqa: BLE001 - however one point fails, the others are tried
            trouble = "".join(format_exception(error)).rstrip()
        if trouble:
            self._item.user_properties.append((REPEAT, self.command(point)))
        return trouble


def repeat(test: str, point: str = "") -> str:
    """Return the line, to be pasted into a shell, that repeats a test or one point of it."""
    setting = {
        "CUSTODY_SEED": str(SEED),
        "CUSTODY_SOAK": f"{SOAK:g}" if SOAK else "",
        "CUSTODY_POINT": point,
    }
    words = [f"{name}={shlex.quote(value)}" for name, value in setting.items() if value]
    return f"{' '.join(words)} make test PYTEST_ARGS={_for_make(test)}"


def _for_make(word: str) -> str:
    """Return a word of PYTEST_ARGS: read by a shell, by make, and by the shell of a recipe."""
    inner = shlex.quote(word).replace("$", "$$")
    return shlex.quote(inner) if set(inner) & set('"$`\\!') else f'"{inner}"'


def repeats(reports: Sequence[pytest.TestReport]) -> Iterator[str]:
    """Yield the lines that repeat what failed: a test, or the points of it."""
    for report in reports:
        points = [str(line) for name, line in report.user_properties if name == REPEAT]
        yield from points or [repeat(report.nodeid)]

"""Where two texts differ: always right, the shortest where that is cheap, never slow."""

from __future__ import annotations

import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.patch import lines
from custody.patch.lines import Region, differences, split_lines

texts = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n"]), max_size=24)


def rebuilt(old: list[bytes], new: list[bytes], regions: list[Region]) -> list[bytes]:
    """Return the new text as the differences make it from the old one."""
    made: list[bytes] = []
    at = 0
    for region in regions:
        made += old[at : region.old] + new[region.new : region.new_end]
        at = region.old_end
    return made + old[at:]


def cost(regions: list[Region]) -> int:
    return sum(r.old_end - r.old + r.new_end - r.new for r in regions)


def least(old: list[bytes], new: list[bytes]) -> int:
    row = list(range(len(new) + 1))
    for line in old:
        above, row[0] = row[0], row[0] + 1
        for at, other in enumerate(new, 1):
            best = above if line == other else 1 + min(row[at], row[at - 1])
            above, row[at] = row[at], best
    return row[-1]


@given(texts, texts)
def test_the_fewest_changes_are_found(old: list[bytes], new: list[bytes]) -> None:
    found = differences(old, new)
    assert rebuilt(old, new, found) == new
    assert cost(found) == least(old, new)
    assert found == sorted(found)


@given(texts, texts, st.integers(0, 6), st.sampled_from([0, 40]))
def test_it_is_right_however_little_is_spent(
    old: list[bytes], new: list[bytes], few: int, effort: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "FEW", few)
        patch.setattr(lines, "EFFORT", effort)
        patch.setattr(lines, "_LEAST", effort)
        found = differences(old, new)
    assert rebuilt(old, new, found) == new


def test_many_changes_are_told_apart() -> None:
    old = [b"line %d\n" % number for number in range(5_000)]
    new = [b"new %d\n" % number if number % 2 else line for number, line in enumerate(old)]
    assert len(differences(old, new)) == 2_500


def test_a_few_changes_among_lines_that_are_all_alike() -> None:
    random = Random(1)
    old = [random.choice([b"a\n", b"b\n", b"\n"]) for _ in range(20_000)]
    new = list(old)
    for at in random.sample(range(len(new)), 150):
        new[at] = b"new\n"
    assert cost(differences(old, new)) < 900


@pytest.mark.parametrize("kind", ["every second", "replaced", "four kinds", "equal", "shuffled"])
def test_large_texts_take_seconds_at_most(kind: str) -> None:
    random = Random(1)
    old = [b"line %d\n" % number for number in range(50_000)]
    new = {
        "every second": [b"new %d\n" % n if n % 2 else line for n, line in enumerate(old)],
        "replaced": [b"new %d\n" % number for number in range(50_000)],
        "four kinds": [random.choice([b"a\n", b"b\n", b"c\n", b"\n"]) for _ in old],
        "equal": [b"x\n"] * 40_000,
        "shuffled": random.sample(old, len(old)),
    }[kind]
    if kind in {"four kinds", "equal"}:
        old = random.sample(new, len(new))
    before = time.process_time()
    found = differences(old, new)
    assert time.process_time() - before < 10
    assert rebuilt(old, new, found) == new


@given(st.binary(max_size=40))
def test_lines_are_split_at_newlines_only(content: bytes) -> None:
    found = split_lines(content)
    assert b"".join(found) == content
    assert all(line.endswith(b"\n") for line in found[:-1])
    assert all(line.count(b"\n") <= 1 and line for line in found)

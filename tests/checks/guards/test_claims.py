"""Several files of one answer: each name is one file, once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.checks.guards.claims import Claims
from custody.model.relpath import RelPath

names = st.lists(
    st.sampled_from(["a", "A", "b", "ß", "ss", "SS"]), min_size=1, max_size=3
).map("/".join)  # fmt: skip


@pytest.mark.parametrize(
    ("paths", "codes"),
    [
        (["a", "b", "c/a"], ["", "", ""]),
        (["a", "a"], ["", "duplicate"]),
        (["x/a", "X/b"], ["", "case_collision"]),
        (["\u1f80", "\u1f00\u03b9"], ["", "case_collision"]),
        (["a", "a/b", "a"], ["", "prefix_conflict", "duplicate"]),
        (["a/b", "a"], ["", "prefix_conflict"]),
        (["a", "a/b", "a/B"], ["", "prefix_conflict", "prefix_conflict"]),
    ],
)
def test_codes(paths: list[str], codes: list[str]) -> None:
    claims = Claims()
    assert [claims.claim(RelPath.parse(path)) for path in paths] == codes


@given(st.lists(names, max_size=8))
def test_what_is_claimed_can_stand_side_by_side_anywhere(paths: list[str]) -> None:
    claims = Claims()
    granted = [path for path in paths if not claims.claim(RelPath.parse(path))]
    folded = [path.casefold() for path in granted]
    assert len(set(folded)) == len(folded)
    assert not any(two.startswith(f"{one}/") for one in folded for two in folded)

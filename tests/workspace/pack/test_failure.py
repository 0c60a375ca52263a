"""Why there is no pack, and what would mend it."""

from __future__ import annotations

import pytest

from custody.model.contracts.file_request import PackBudget
from custody.workspace.pack.failure import NoPack, refuse_missing, refuse_small_budget


def budget(files: int, size: int) -> PackBudget:
    return PackBudget(max_files=files, max_total_bytes=size)


def test_what_is_missing_is_told_before_what_may_not_be_shown() -> None:
    refuse_missing([], [])
    with pytest.raises(NoPack) as stopped:
        refuse_missing(["a"], ["b"])
    assert (stopped.value.failure.code, stopped.value.failure.paths) == (
        "mandatory_missing",
        ("a",),
    )
    with pytest.raises(NoPack) as stopped:
        refuse_missing([], ["b"])
    assert stopped.value.failure.code == "mandatory_denied"


@pytest.mark.req("C-03")
@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (budget(2, 100), "raise max_files by 1 to 3"),
        (budget(3, 90), "raise max_total_bytes by 10 to 100"),
        (budget(0, 0), "raise max_files by 3 to 3 and max_total_bytes by 100 to 100"),
    ],
)
def test_by_how_much_a_budget_must_be_raised(given: PackBudget, hint: str) -> None:
    with pytest.raises(NoPack) as stopped:
        refuse_small_budget(given, budget(3, 100), ["a"])
    assert stopped.value.failure.hint == hint
    refuse_small_budget(budget(3, 100), budget(3, 100), ["a"])

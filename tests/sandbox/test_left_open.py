from __future__ import annotations

from custody.sandbox.left_open import LEFT_OPEN, left_open


def test_an_older_landlock_leaves_more_open() -> None:
    assert left_open(7) == left_open(6) == LEFT_OPEN
    assert {opening.name for opening in left_open(5)} - names() == {"signals", "abstract sockets"}
    assert {opening.name for opening in left_open(2)} - names() == {
        "signals",
        "abstract sockets",
        "reach",
    }


def names() -> set[str]:
    return {opening.name for opening in LEFT_OPEN}

"""Paths that a stage is not to see."""

from __future__ import annotations

from custody.model.holdouts import Holdouts


def test_holdouts_cover_whole_components() -> None:
    hidden = Holdouts.of(["a/b", "c"])
    paths = ("a", "a/b", "a/b/x", "a/bc", "c", "c/d", "cd", "d/c")
    assert list(filter(hidden.covers, paths)) == ["a/b", "a/b/x", "c", "c/d"]
    assert list(filter(hidden.lie_below, paths)) == ["a"]

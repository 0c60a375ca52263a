from __future__ import annotations

from custody.model.need import Need


def test_it_is_told_in_words() -> None:
    assert Need(kind="program", names=("codex",)).told() == "program codex"
    assert Need(kind="variable", names=("A", "B")).told() == "variable A or B"

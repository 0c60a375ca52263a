"""Characters that nobody sees."""

from __future__ import annotations

import pytest

from custody.model.unseen import unseen


@pytest.mark.parametrize("character", "\x00\n\x7f\u200b\u202e\u2066\ufeff\u00ad\U000e0041")
def test_one_is_found(character: str) -> None:
    assert unseen(f"a{character}b") == character


def test_whatever_is_seen_is_none() -> None:
    assert unseen("a b-ü漢🙂") == ""

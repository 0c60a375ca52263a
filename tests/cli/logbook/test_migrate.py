"""``custody logbook migrate``."""

from __future__ import annotations

from support.shell import Here


def test_what_was_missing_is_told(user: Here) -> None:
    assert user("logbook", "migrate").out == "applied logbook:1 tables\n"
    assert "nothing to apply" in user("logbook", "migrate").out
    assert user("logbook", "migrate", "--json").data["applied"] == []

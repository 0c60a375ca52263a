"""The switch that leaves the search out."""

from __future__ import annotations

import pytest

from custody.seek.switch import is_enabled


@pytest.mark.req("E-11")
@pytest.mark.parametrize(("said", "enabled"), [("0", False), ("1", True), ("", True)])
def test_only_a_zero_switches_it_off(said: str, enabled: bool) -> None:
    assert is_enabled({"SEEKDB_ENABLE": said}) is enabled
    assert is_enabled({})

"""The recorded decisions, made again."""

from __future__ import annotations

import pytest

from support.shell import Shell


@pytest.mark.req("P-11")
def test_replay_agrees(sample: Shell) -> None:
    assert sample("replay", "r1").out.endswith("byte for byte; ends PASS\n")
    assert sample("replay", "r1", "--json").data["status"] == "PASS"

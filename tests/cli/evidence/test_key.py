"""Making keys from the command line."""

from __future__ import annotations

from pathlib import Path

from support.shell import Here


def test_a_pair_is_made_once(tmp_path: Path) -> None:
    custody = Here(tmp_path)
    made = custody("evidence", "key", "mine", "--json").data
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "mine.pub"]
    assert (made["secret"], made["public"], len(made["key"])) == ("mine", "mine.pub", 64)
    secret = (tmp_path / "mine").read_bytes()
    again = custody("evidence", "key", "mine")
    assert (again.code, "is there already" in again.err) == (1, True)
    assert (tmp_path / "mine").read_bytes() == secret

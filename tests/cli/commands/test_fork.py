"""A run that goes its own way from a stage of another."""

from __future__ import annotations

from support.shell import Shell


def test_fork_goes_its_own_way(sample: Shell) -> None:
    done = sample("fork", "r1", "check", "--run-id", "r2")
    assert done.code == 0
    assert done.out.startswith("PASS  greeting  run r2\n")
    assert sample("fork", "r1", "nowhere").code == 1
    assert sample("verify", "r2").code == 0

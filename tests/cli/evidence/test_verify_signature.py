"""Checking a signature from the command line."""

from __future__ import annotations

from support.bench import Bench
from support.shell import Here


def test_whose_signature_it_is_and_is_not(bench: Bench) -> None:
    bench.run('a [type=tool, tool_command="true"]\nstart -> a -> done')
    custody = Here(bench.home)
    key = custody("evidence", "key", "mine", "--json").data["key"]
    custody("evidence", "key", "other")
    words = ("--key", "mine", "--output", "out.json", "--runsdir", "runs")
    custody("evidence", "sign", "r1", *words)
    good = custody("evidence", "verify-signature", "out.json", "--key", "mine.pub")
    assert good.code == 0
    assert good.out.startswith("signed  ")
    assert f"by key {key}" in good.out
    bad = custody("evidence", "verify-signature", "out.json", "--key", "other.pub")
    assert (bad.code, bad.out) == (1, "")
    assert "the signature is not one of this key" in bad.err
    assert custody("evidence", "verify-signature", "out.json").code == 1

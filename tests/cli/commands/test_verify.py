"""Every claim of a run, checked again."""

from __future__ import annotations

from support.shell import Shell


def test_verify_finds_what_was_changed(sample: Shell) -> None:
    assert sample("verify", "r1").out.startswith("PASS  run r1: ")
    (sample.folder / ".custody/runs/r1/summary.json").write_text("{}")
    done = sample("verify", "r1")
    assert done.code == 1
    assert "summary.json" in done.out.splitlines()[0]
    assert done.out.splitlines()[-1].startswith("FAIL  run r1: ")
    assert sample("verify", "r1", "--json").data["mismatches"]
    assert sample("verify", "r1", "--rebuild").code == 0
    assert sample("verify", "r1").code == 0

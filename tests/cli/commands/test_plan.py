"""What would run, before it does."""

from __future__ import annotations

from support.shell import Shell


def test_plan_says_what_would_run(sample: Shell) -> None:
    page = sample("plan", "pipeline.dot").out
    assert "tool_command: grep -q hello greeting.txt" in page
    assert "may write: greeting.txt" in page
    assert "then: write if outcome=fail, going back" in page
    stages = sample("plan", "pipeline.dot", "--json").data["stages"]
    assert [stage["id"] for stage in stages] == ["start", "write", "check", "done"]

"""Documents of a change as they should be, to be spoiled by tests."""

from __future__ import annotations

PLAN = """\
# What will be done

Status: SIGNED
Scope-Allow: docs/, src/
Scope-Deny: docs/private/
Gates: lite | plan_check | patch_check | behavior_catalog_check
Stop: max_iterations=3; scope_violation
Budgets: iterations=3, files=5, bytes=20000
Behaviors: B001
Results: R001
"""
REASONS = "# Why\n\n- R001: users asked for it, as B001 says\n"
EXPECTED = """\
# What must be true

## R001 It greets

Acceptance: the greeting is printed
Evidence: docs/greeting.md
Related-Gates: lite
"""
GUARDRAILS = """\
find_mode: resolver_only
max_files: 20
max_total_bytes: 200000
max_iterations: 3
"""
REVIEW = "Verdict: APPROVE\nBlocking Reasons:\nRequired Fix/Artifacts: none\n"


def with_key(document: str, key: str, value: str | None) -> bytes:
    """Return a document with another value of a key; None leaves the key out."""
    lines = [line for line in document.split("\n") if not line.startswith(f"{key}:")]
    return "\n".join([*lines, *([] if value is None else [f"{key}: {value}", ""])]).encode()

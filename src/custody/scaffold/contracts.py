"""The documents that a repository needs before anybody changes it by a patch. Pure."""

from __future__ import annotations

from custody.model.behavior_catalog import INDEX
from custody.model.contracts.patch_policy import PatchPolicy
from custody.model.record import encode_pretty

_AGENTS = """\
# How this repository is changed

- By a patch that stays inside a signed plan, and by nothing else.
- The commands that judge a change are those of the gates `lite` and `full`.
- What the patch may never touch stands in `patch_policy.json`.
"""
_CONTRACT = """\
# Contract

1. Read what the context pack holds before you plan. What is not in it was not seen.
2. A plan names its scope, its gates, its budgets and when it stops. It counts when it is signed.
3. A patch is one unified diff. It holds the whole change and nothing beside it.
4. Nobody approves by silence: a review without a verdict is none.
"""
_RULES = """\
# Rules on one screen

- Only what was asked for, only where it was asked for.
- No secret in any text. No command that was not declared.
- Say what failed, where, and what you did not look at.
"""
_INDEX = """\
# Behaviors

Each behavior that the code is known for has a marker there (`BEHAVIOR_ID: B001`), a line here that
links to its page, and the page: `B001-<slug>.md` with the headings Reason, Behavior and Result.
"""


def contract_files() -> dict[str, bytes]:
    """Return the documents by where they belong."""
    return {
        "AGENTS.md": _AGENTS.encode(),
        "ai_context/00_AI_CONTRACT.md": _CONTRACT.encode(),
        "ai_context/CTCP_FAST_RULES.md": _RULES.encode(),
        INDEX: _INDEX.encode(),
        "patch_policy.json": encode_pretty(PatchPolicy()),
    }

"""The documents that a repository needs before it is changed by a patch."""

from __future__ import annotations

from custody.checks.guards.patch_policy import read_policy
from custody.model.contracts.patch_policy import PatchPolicy
from custody.scaffold.contracts import contract_files


def test_the_policy_is_the_default_and_can_be_read() -> None:
    assert read_policy(contract_files()["patch_policy.json"]) == PatchPolicy()


def test_the_mandatory_documents_of_a_pack_are_among_them() -> None:
    assert {
        "AGENTS.md",
        "ai_context/00_AI_CONTRACT.md",
        "ai_context/CTCP_FAST_RULES.md",
    } <= contract_files().keys()

"""``artifacts/patch_policy.json``: what no patch of a repository may do, whatever its plan says."""

from __future__ import annotations

from typing import Literal

from custody.model.holdouts import SCENARIOS
from custody.model.record import Record

PATCH_POLICY: Literal["ctcp-patch-policy-v1"] = "ctcp-patch-policy-v1"


class PatchPolicy(Record, frozen=True):
    """Limits of a patch. Paths count by whole components, with a trailing slash or without."""

    schema_version: Literal["ctcp-patch-policy-v1"] = PATCH_POLICY
    allow_roots: tuple[str, ...] = ()
    """Where a patch may change anything at all; everywhere when it names nothing."""
    deny_prefixes: tuple[str, ...] = (
        ".git/", "runs/", "build/", "dist/", "node_modules/", "__pycache__/",
    )  # fmt: skip
    """What a patch may not touch; a single name counts at any depth."""
    deny_suffixes: tuple[str, ...] = ()
    """How the names of files end that a patch may not touch, such as ``.lock``."""
    holdouts: tuple[str, ...] = (f"{SCENARIOS}/",)
    """What is hidden from whoever makes the patch, so that it can judge him."""
    max_files: int = 5
    max_added_lines: int = 400
    allow_executable: bool = False
    """Whether a patch may make a file executable, or add one that is."""
    allow_binary: bool = False
    allow_delete: bool = True
    allow_rename: bool = True
    """Whether files may be renamed or copied; both names must be inside the scope."""

"""Hostile patches, and the plan and the policy that they are judged by."""

from __future__ import annotations

import re
from typing import Any

from custody.model.contracts.patch_policy import PatchPolicy
from custody.patch.binary import object_id, write_binary
from custody.pipeline.contracts.plan import Plan

PLAN = Plan(status="SIGNED", scope_allow=("docs/",), scope_deny=("docs/private/",))
POLICY = PatchPolicy(holdouts=("scripts/scenarios/", "holdout/"))
MANY_ZEROS = 50_000_000
_SIZE = re.compile(r"(\d+) files? x (\d+) (?:added )?lines?")


def patch_of(given: Any) -> bytes:
    """Return the patch of a case; one that is too long to be listed is made."""
    match given:
        case str(text):
            return text.encode()
        case {"gen": str(how)} if how.startswith("GIT binary"):
            return binary(bytes(MANY_ZEROS))
        case {"gen": str(how)} if found := _SIZE.match(how):
            files, lines = map(int, found.groups())
            return b"".join(adding(f"docs/{number}.txt", lines) for number in range(files))
        case other:
            raise AssertionError(other)


def adding(path: str, lines: int) -> bytes:
    """Return a patch that adds a file."""
    text = "".join(f"+line {number}\n" for number in range(lines))
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
    return f"{head}@@ -0,0 +1,{lines} @@\n{text}".encode()


def binary(content: bytes) -> bytes:
    """Return a patch that adds a file that is no text."""
    ids = f"{'0' * 40}..{object_id(content)}"
    head = f"diff --git a/docs/z b/docs/z\nnew file mode 100644\nindex {ids}\n"
    return head.encode() + write_binary(b"", content)

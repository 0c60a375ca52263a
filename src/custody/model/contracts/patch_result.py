"""``artifacts/patch_result.json``: what git said to a patch, in the layer of one attempt."""

from __future__ import annotations

from typing import Literal

from custody.model.record import Record

PATCH_RESULT: Literal["custody-patch-result-v1"] = "custody-patch-result-v1"


class PatchResult(Record, frozen=True, kw_only=True):
    """Two exit codes; None where the command was not started, or did not come to its end."""

    schema_version: Literal["custody-patch-result-v1"] = PATCH_RESULT
    patch_sha256: str
    """Of the patch that git was given."""
    check_exit_code: int | None = None
    """Of ``git apply --check``."""
    apply_exit_code: int | None = None
    """Of ``git apply``, which is tried only after the check."""
    message: str = ""
    """The first lines that git printed; or why it could not be started."""

"""Why no pack can be made, in the words of its failure file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from custody.model.contracts.context_pack import PACK_FAILURE, PackFailure, PackFailureCode
from custody.model.contracts.file_request import PackBudget


class NoPack(Exception):
    """No pack can be made; holds the failure."""

    def __init__(self, failure: PackFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def pack_failure(
    code: PackFailureCode, message: str, hint: str = "", paths: Iterable[str] = ()
) -> PackFailure:
    """Return a failure that no other budget would mend."""
    return PackFailure(
        schema_version=PACK_FAILURE, code=code, message=message, hint=hint, paths=tuple(paths)
    )


def refuse_missing(missing: Sequence[str], denied: Sequence[str]) -> None:
    """Raise `NoPack` when mandatory documents are not there, or may not be shown."""
    if missing:
        what = f"mandatory documents are missing: {', '.join(missing)}"
        hint = "write them; `custody init --contracts` begins them"
        raise NoPack(pack_failure("mandatory_missing", what, hint, missing))
    if denied:
        what = f"mandatory documents may not be shown: {', '.join(denied)}"
        hint = "put a regular file there that can be read and is neither secret nor hidden"
        raise NoPack(pack_failure("mandatory_denied", what, hint, denied))


def refuse_small_budget(given: PackBudget, needed: PackBudget, paths: Iterable[str]) -> None:
    """Raise `NoPack` when a budget cannot hold the mandatory documents, with what it lacks."""
    lacks = PackBudget(
        max_files=max(needed.max_files - given.max_files, 0),
        max_total_bytes=max(needed.max_total_bytes - given.max_total_bytes, 0),
    )
    raises = []
    if lacks.max_files:
        raises.append(f"max_files by {lacks.max_files} to {needed.max_files}")
    if lacks.max_total_bytes:
        raises.append(f"max_total_bytes by {lacks.max_total_bytes} to {needed.max_total_bytes}")
    if raises:
        raise NoPack(
            PackFailure(
                schema_version=PACK_FAILURE,
                code="budget_too_small",
                message=f"increase budget: the mandatory documents take {needed.max_files} files "
                f"and {needed.max_total_bytes} bytes",
                hint=f"raise {' and '.join(raises)}",
                paths=tuple(paths),
                needed=needed,
                raise_by=lacks,
            )
        )

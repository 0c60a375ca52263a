"""``artifacts/context_pack.json``: pieces of the repository, and why others are left out."""

from __future__ import annotations

from typing import Literal, TypeAlias

from custody.model.contracts.file_request import PackBudget
from custody.model.record import Record

CONTEXT_PACK: Literal["ctcp-context-pack-v1"] = "ctcp-context-pack-v1"
PACK_FAILURE: Literal["custody-context-pack-failure-v1"] = "custody-context-pack-failure-v1"

OmissionReason: TypeAlias = Literal[
    "too_large", "denied", "irrelevant", "not_found", "invalid_request", "budget_exceeded"
]
PackFailureCode: TypeAlias = Literal[
    "request_invalid",
    "settings_invalid",
    "mandatory_missing",
    "mandatory_denied",
    "budget_too_small",
    "changed_during_read",
    "index",
    "storage",
]


class PackedFile(Record, frozen=True, omit_defaults=True):
    """One file, or one piece of it."""

    path: str
    why: str
    """Where it comes from: ``mandatory_contract``, or ``requested:`` and the request's reason,
    ``found:`` and the beginning of the digest of the index that found it."""
    content: str
    """As it stands in the file; bytes that are no UTF-8 are U+FFFD."""
    truncated: bool = False
    """Whether it is the beginning of a file that the budget could not hold."""


class Omission(Record, frozen=True):
    """One need that is not in the pack."""

    path: str
    reason: OmissionReason


class ContextPack(Record, frozen=True):
    """`context_pack.json`: what the librarian found for a request."""

    schema_version: Literal["ctcp-context-pack-v1"]
    goal: str
    repo_slug: str
    summary: str
    """How much is there, and how much was left out for which reason."""
    files: tuple[PackedFile, ...]
    omitted: tuple[Omission, ...]


class PackFailure(Record, frozen=True, omit_defaults=True):
    """`context_pack.failure.json`: why no pack could be made."""

    schema_version: Literal["custody-context-pack-failure-v1"]
    code: PackFailureCode
    message: str
    hint: str = ""
    paths: tuple[str, ...] = ()
    """The documents that it is about."""
    raise_by: PackBudget | None = None
    """What must be added to the budget, where it is too small."""
    needed: PackBudget | None = None
    """The smallest budget that holds the mandatory documents, where it is too small."""

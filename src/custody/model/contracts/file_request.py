"""``artifacts/file_request.json``: which pieces of the repository a chair wants to see."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from custody.model.record import Record

Mode: TypeAlias = Literal["full", "snippets"]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class FileNeed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One file that is wanted, or some of its lines. What else stands there is not looked at."""

    path: str
    """Relative to the repository, with ``/``."""
    mode: Mode
    line_ranges: tuple[tuple[int, int], ...] | None = None
    """First and last line of each piece, counted from 1, both included; for ``snippets``."""


class PackBudget(Record, frozen=True):
    """How much a pack may hold."""

    max_files: Count
    """Entries of ``files``: a file counts once, and so does each piece of one."""
    max_total_bytes: Count
    """Bytes of all contents in UTF-8, as they stand in the pack."""


class FileRequest(Record, frozen=True):
    """`file_request.json`: what a context pack is to hold, and how much of it."""

    schema_version: Literal["ctcp-file-request-v1"]
    goal: str
    needs: tuple[FileNeed, ...]
    budget: PackBudget
    reason: str


class FileRequestEnvelope(Record, frozen=True):
    """A request whose needs are still to be judged, each by itself."""

    schema_version: Literal["ctcp-file-request-v1"]
    goal: str
    needs: tuple[Any, ...]
    budget: PackBudget
    reason: str

"""Whether what an agent hands in as its answer can be one: it may be an object of anybody's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from custody.errors import MalformedDocument, PathRefused
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.record import ready
from custody.model.request import Ack, AgentRequest

if TYPE_CHECKING:
    from custody.executors import Stage

MOST = 1e15
"""Nothing that an agent counts comes near."""


def checked(found: Any, request: AgentRequest, stage: Stage) -> Ack:
    """Return the ack with everything of its type; raises `MalformedDocument` for what is none.

    It must answer this very request, call itself refused if it holds refusals, take no time, tokens
    or money back, and point only to files of the attempt, documents and letters, as they are.
    """
    if not isinstance(found, Ack):
        _refuse(request, f"is no Ack but {type(found).__name__!r}")
    try:
        whole = msgspec.to_builtins(found, str_keys=True, builtin_types=(bytes, bytearray))
        ack = msgspec.convert(whole, ready(Ack))
    except (TypeError, ValueError, RecursionError, msgspec.ValidationError) as error:
        raise MalformedDocument("json", f"the answer of {request.agent}: {error}") from error
    if ack.request_id != request.id:
        _refuse(request, f"is one to {ack.request_id!r}, not to {request.id!r}")
    if ack.verdicts and ack.status != "refused":
        _refuse(request, f"holds refusals and says {ack.status!r}")
    for name, value in _counted(ack):
        if value < 0 or value >= MOST:
            _refuse(request, f"has {'too many' if value > 0 else 'negative'} {name}")
    for item in ack.evidence:
        if fault := _fault_of(item, stage):
            _refuse(request, f"points to {item.path!r}, {fault}")
    return ack


def _counted(ack: Ack) -> Iterator[tuple[str, float]]:
    yield "seconds", ack.seconds
    if ack.usage is not None:
        yield "input_tokens", ack.usage.input_tokens
        yield "output_tokens", ack.usage.output_tokens
        yield "cost_usd", ack.usage.cost_usd or 0.0
        yield "cached_tokens", ack.usage.cached_tokens or 0


def _fault_of(item: Evidence, stage: Stage) -> str:
    """Return what is wrong with a pointer to a file; empty when nothing is."""
    own = item.path.startswith(f"{stage.folder.path}/")
    if not (own or item.is_document or layout.is_correspondence(item.path)):
        return "which is no file of this attempt"
    if item.text is not None:
        return "" if item == Evidence.of_text(item.path, item.text) else "with a wrong hash"
    try:
        there = stage.run.root.digest(item.path)
    except PathRefused as refused:
        return f"but {refused.what}"
    return "" if there == (item.sha256, item.bytes) else "which is not what it says"


def _refuse(request: AgentRequest, what: str) -> NoReturn:
    raise MalformedDocument("type", f"the answer of {request.agent} {what}")

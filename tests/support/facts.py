"""A fact of any kind, and the journal line that carries it."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from custody.model.event import GENESIS, AnyFact, JournalLine
from custody.model.fact import Fact
from custody.model.record import encode


def sample(kind: type[Any], **fields: Any) -> Any:
    """Return one of a kind; what is not given is the first thing that its type allows."""
    types = get_type_hints(kind)
    due = [field for field in msgspec.structs.fields(kind) if field.required]
    made = {field.name: _value(types[field.name]) for field in due if field.name not in fields}
    return kind(**made, **fields)


def line_of(fact: AnyFact | Fact, seq: int = 0) -> JournalLine:
    """Return the journal line of a fact."""
    return JournalLine(
        seq=seq,
        ts="2026-01-31T10:15:00.000000Z",
        run_id="r1",
        level=fact.traits.level,
        role="engine",
        event=type(fact).__name__,
        node=getattr(fact, "node", None),
        path="",
        data=msgspec.Raw(encode(fact)),
        prev=GENESIS,
    )


def _value(kind: Any) -> Any:
    origin, choices = get_origin(kind), get_args(kind)
    if origin is Literal:
        return choices[0]
    if isinstance(kind, UnionType):
        return None if NoneType in choices else _value(choices[0])
    if origin is tuple:
        return (_value(choices[0]),)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return sample(kind)
    return "x" if kind is str else (origin or kind)()

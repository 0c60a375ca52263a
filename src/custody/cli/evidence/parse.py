"""`custody evidence parse`: what a uri says, without asking anybody."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.result import Arguments, Line, Result

if TYPE_CHECKING:
    from custody.evidence.uri import EvidenceUri


def arguments(_parser: Arguments) -> None:
    """Declare nothing: the uri is all."""


def execute(options: Namespace) -> Result:
    """Read the uri."""
    from custody.evidence.source import source_of
    from custody.evidence.uri import parse

    uri = parse(options.subject)
    scheme = uri.text.partition(":")[0].lower()
    data = {"scheme": scheme, **source_of(uri)._asdict(), "parts": _parts(uri)}
    return Result(data={"uri": uri.text, **data}, text=_lines(data))


def _parts(uri: EvidenceUri) -> dict[str, object]:
    return {name: getattr(uri, name) for name in uri.__struct_fields__ if name != "text"}


def _lines(data: dict[str, object]) -> Iterator[Line]:
    for name, value in data.items():
        for inner, text in value.items() if isinstance(value, dict) else [(name, value)]:
            if inner == name or inner not in data:
                yield Line(f"{inner:<14} {text}", hang=15)

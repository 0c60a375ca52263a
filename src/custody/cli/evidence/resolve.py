"""`custody evidence resolve`: what a uri points at."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.evidence.places import resolvers
from custody.cli.result import Arguments, Line, Result

if TYPE_CHECKING:
    from custody.evidence import Content


def arguments(_parser: Arguments) -> None:
    """Declare nothing: the uri and ``--output`` are all."""


def execute(options: Namespace) -> Result:
    """Have the content, and print it, or write it to a file."""
    from custody.evidence.check import exact_content

    content = exact_content(options.subject, resolvers())
    told = {"uri": options.subject, "sha256": content.sha256, "size": len(content.data)}
    if not options.output:
        return Result(data=told, text=_text(content), raw=[content.data])
    from custody import api

    api.save(options.output, content.data)
    said = f"{options.output}: {len(content.data)} bytes, sha256 {content.sha256}"
    return Result(data={**told, "output": options.output}, text=[Line(said)])


def _text(content: Content) -> Iterator[Line]:
    from custody.evidence.excerpt import as_text

    return map(Line, as_text(content.data).removesuffix("\n").split("\n"))

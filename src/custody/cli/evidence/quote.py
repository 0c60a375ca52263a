"""`custody evidence quote`: a reference to a piece of evidence, that anybody can check."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING

from custody.cli.evidence.places import resolvers
from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.evidence import Content
    from custody.evidence.excerpt import Quote
    from custody.model.reference import Reference


def arguments(parser: Arguments) -> None:
    """Declare which lines are quoted."""
    parser.add_argument(
        "--lines", metavar="A-B", default="", help="quote: the lines, such as 3-9 (default: from 1)"
    )


def execute(options: Namespace) -> Result:
    """Make the reference, and print it as a packet holds it."""
    from custody.model.record import encode_pretty

    reference = _reference(options.subject, options.lines)
    text = encode_pretty(reference).decode().rstrip("\n").split("\n")
    return Result(data=reference, text=map(Line, text), verbatim=True)


def _reference(subject: str, lines: str) -> Reference:
    from custody.evidence.check import exact_content
    from custody.evidence.source import reference_to
    from custody.evidence.uri import DocUri
    from custody.resolvers.documents import docs_root
    from custody.resolvers.git import last_commit
    from custody.resolvers.subjects import uri_of
    from custody.store.own_settings import own_settings

    settings = own_settings(os.environ).evidence
    root = docs_root(settings, os.getcwd())
    uri = uri_of(subject, settings, os.environ, folder=os.getcwd())
    content = exact_content(uri.text, resolvers())
    commit = last_commit(root, uri.path, os.environ) if isinstance(uri, DocUri) else ""
    return reference_to(uri, content, _quoted(content, lines, subject), commit)


def _quoted(content: Content, lines: str, where: str) -> Quote:
    """Return the lines that were asked for; raises `UsageError` where they cannot be quoted."""
    from custody.evidence.excerpt import begin_of_line, quote

    first, last = _numbers(lines)
    begin = begin_of_line(content.data, first)
    if begin is None or (begin == len(content.data) and lines):
        raise UsageError(f"there is no line {first}", where=where)
    end = begin_of_line(content.data, last + 1) if last else None
    quoted = quote(content.data, begin, end)
    if lines and quoted.bytes[1] != (len(content.data) if end is None else end):
        hint = "an excerpt has at most 25 lines and 2,000 characters"
        raise UsageError(f"lines {lines} are too much for one excerpt", where=where, hint=hint)
    return quoted


def _numbers(lines: str) -> tuple[int, int]:
    """Return the first line and the last; 0 for the end."""
    first, dash, last = lines.partition("-")
    if not lines:
        return 1, 0
    if not first.isdecimal() or (dash and not last.isdecimal()) or int(first) < 1:
        raise UsageError(
            f"{lines!r} is not a range of lines", hint="such as --lines 3-9, or --lines 3"
        )
    if dash and int(last) < int(first):
        raise UsageError(f"{lines!r} ends before it begins")
    return int(first), int(last) if dash else int(first)

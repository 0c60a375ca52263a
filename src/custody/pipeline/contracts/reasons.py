"""``REASONS.md``: why a change is made as it is.

A reason is an item of a list with the indented lines below it, or any other line of text but a
heading. Each names a behavior or a result, ``B001`` or ``R001``; one that does not is a finding
with the code ``reason``, a document without any ``missing``.
"""

from __future__ import annotations

from custody.model.finding import Finding
from custody.model.record import Record
from custody.patterns import later
from custody.pipeline.key_lines import ReadDocument, TextLine, at, decoded, ids_in, plain_lines

_PASSED_OVER = later(r"[ \t]*(?:#{1,6}(?:[ \t].*)?|[-*_=|: \t]*)")
"""Headings, rules, blank lines and the second line of a table."""
_INDENTED = later(r"(?:[ ]{2,}|\t)[ \t]*(?![-*+][ \t])\S")


class Reason(Record, frozen=True):
    """One reason, and what it is for."""

    text: str
    line: int
    ids: tuple[str, ...] = ()


class Reasons(Record, frozen=True):
    """Every reason, in order."""

    reasons: tuple[Reason, ...] = ()


def read_reasons(data: bytes) -> ReadDocument[Reasons]:
    """Read the document."""
    text, findings = decoded(data)
    reasons = tuple(
        Reason(text=each.text, line=each.number, ids=ids_in(each.text)) for each in _parts(text)
    )
    wrong: list[Finding] = [*findings]
    for reason in reasons:
        if not reason.ids:
            what = "the reason names neither a behavior nor a result"
            wrong.append(at(reason.line, "reason", what, "such as B001 or R001"))
    if not reasons:
        wrong.append(at(0, "missing", "there is no reason", "a line such as `- R001: because …`"))
    return ReadDocument(Reasons(reasons=reasons), tuple(wrong))


def _parts(text: str) -> list[TextLine]:
    found: list[TextLine] = []
    for number, line in plain_lines(text):
        if _PASSED_OVER.fullmatch(line):
            continue
        if found and _INDENTED.match(line):
            found[-1] = found[-1]._replace(text=f"{found[-1].text} {line.strip()}")
        else:
            found.append(TextLine(number, line.strip()))
    return found

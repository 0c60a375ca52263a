"""``EXPECTED_RESULTS.md``: what must be true after a change, and what shows it.

An entry begins with its id, as a heading (``## R001 …``), an item or a plain line, and holds the
keys ``Acceptance``, ``Evidence`` (paths) and ``Related-Gates``, each of which may be an item of a
list. Besides the codes of key lines there are ``duplicate`` for an id that has two entries, and
``traversal`` and the other codes of `RelPath` for a path of evidence.
"""

from __future__ import annotations

from collections.abc import Iterator

from custody.errors import PathRefused
from custody.model.finding import Finding
from custody.model.record import Record
from custody.model.relpath import RelPath
from custody.patterns import later
from custody.pipeline.key_lines import (
    KeyLines,
    ReadDocument,
    TextLine,
    at,
    decoded,
    key_lines,
    plain_lines,
)

KEYS = frozenset({"Acceptance", "Evidence", "Related-Gates"})
_ENTRY = later(r"(?:#{1,6}[ \t]+|[-*+][ \t]+)?[*`]{0,2}(R[0-9]{3})(?![A-Za-z0-9_]).*")


class ExpectedResult(Record, frozen=True):
    """One result that is expected."""

    id: str
    line: int
    acceptance: str = ""
    evidence: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()


class ExpectedResults(Record, frozen=True):
    """Every result, in order."""

    results: tuple[ExpectedResult, ...] = ()

    def get(self, name: str) -> ExpectedResult | None:
        """Return a result by its id; None when there is none."""
        return next((result for result in self.results if result.id == name), None)


def read_expected_results(data: bytes) -> ReadDocument[ExpectedResults]:
    """Read the document."""
    text, first = decoded(data)
    found: list[ExpectedResult] = []
    findings: list[Finding] = [*first]
    for name, start, body in _entries(tuple(plain_lines(text))):
        if any(result.id == name for result in found):
            findings.append(at(start, "duplicate", f"{name} has two entries"))
            continue
        lines = key_lines(body, KEYS, listed=True)
        findings += lines.findings
        findings += _judge(name, start, lines)
        found.append(_result(name, start, lines))
    if not found:
        findings.append(at(0, "missing", "there is no result", "a heading such as `## R001`"))
    return ReadDocument(ExpectedResults(results=tuple(found)), tuple(findings))


def _entries(
    lines: tuple[TextLine, ...],
) -> Iterator[tuple[str, int, tuple[TextLine, ...]]]:
    """Yield the id, the line and the lines below of every entry."""
    starts = [
        (place, match[1])
        for place, (_, text) in enumerate(lines)
        if (match := _ENTRY.fullmatch(text))
    ]
    ends = (*(place for place, _ in starts[1:]), len(lines))
    for (place, name), end in zip(starts, ends, strict=False):
        yield name, lines[place].number, lines[place + 1 : end]


def _judge(name: str, start: int, lines: KeyLines) -> Iterator[Finding]:
    for key in sorted(KEYS):
        line = lines.lines.get(key)
        if key in lines.spoiled or (line is not None and (line.value or line.items)):
            continue
        number = start if line is None else line.line
        yield at(number, "missing", f"{name} lacks {key}", f"a line `{key}: …` below {name}")
    for item in lines.items("Evidence"):
        try:
            RelPath.parse(item.text.rstrip("/"))
        except PathRefused as refused:
            yield at(item.line, refused.code, f"Evidence of {name}: {refused.what}")


def _result(name: str, start: int, lines: KeyLines) -> ExpectedResult:
    acceptance = lines.lines.get("Acceptance")
    points = () if acceptance is None else acceptance.points
    return ExpectedResult(
        id=name,
        line=start,
        acceptance=""
        if acceptance is None
        else acceptance.value or "; ".join(item.text for item in points),
        evidence=tuple(item.text for item in lines.items("Evidence")),
        gates=tuple(item.text for item in lines.items("Related-Gates")),
    )

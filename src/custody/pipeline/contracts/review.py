"""``review_contract.md``, ``review_cost.md``: one verdict about a plan.

The line ``Verdict: APPROVE`` or ``Verdict: BLOCK`` stands there once; nothing else is a verdict,
and a review without one approves nothing. Codes: ``no_verdict``, ``verdict`` for another word,
``duplicate`` for two, ``key`` for a key in other letters, ``encoding``; as a warning ``missing``
when a BLOCK gives no reason. Beside an approval, a BLOCK with marks around it, such as
``**Verdict:** BLOCK``, is a second verdict: a person would take it for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from custody.model.finding import Finding
from custody.model.record import Record
from custody.patterns import later
from custody.pipeline.key_lines import (
    KeyLines,
    ReadDocument,
    at,
    decoded,
    plain_lines,
    read_key_lines,
)
from custody.pipeline.messages import shown

APPROVE: Final = "APPROVE"
BLOCK: Final = "BLOCK"
_WORDS = frozenset({APPROVE, BLOCK})
_VERDICT, _REASONS, _FIXES = "Verdict", "Blocking Reasons", "Required Fix/Artifacts"
_HINT = f"one line, `{_VERDICT}: {APPROVE}` or `{_VERDICT}: {BLOCK}`"
_CODES = {"duplicate_key": "duplicate", "value": "verdict"}
"""What findings about the verdict are called here."""
_MARKED_BLOCK = later(r"[ \t#*_`+-]+Verdict[*_`]*[ \t]*:[ \t*_`]*BLOCK[ \t*_`.]*", re.IGNORECASE)


class Review(Record, frozen=True):
    """What a reviewer says."""

    verdict: str = ""
    """`APPROVE` or `BLOCK`; empty when there is none."""
    blocking_reasons: tuple[str, ...] = ()
    required: tuple[str, ...] = ()

    @property
    def blocks(self) -> bool:
        """Whether the change stops here: everything but an approval stops it."""
        return self.verdict != APPROVE


# BEHAVIOR_ID: B017
def read_review(data: bytes) -> ReadDocument[Review]:
    """Read a review."""
    judged = read_key_lines(data, (_VERDICT,))
    findings = [replace(one, code=_CODES.get(one.code, one.code)) for one in judged.findings]
    findings += _judge_verdict(judged)
    findings += (contradictions := tuple(_contradicted(judged, data)))
    verdict = None if contradictions else judged.sound(_VERDICT)
    lines = read_key_lines(data, (_VERDICT, _REASONS, _FIXES))
    review = Review(
        verdict=verdict.value if verdict is not None and verdict.value in _WORDS else "",
        blocking_reasons=_said(lines, _REASONS),
        required=_said(lines, _FIXES),
    )
    if review.verdict == BLOCK and not review.blocking_reasons:
        what = f"the review blocks and has no {_REASONS}"
        findings.append(Finding(code="missing", message=what, line=0, column=0, severity="warning"))
    return ReadDocument(review, tuple(findings))


def _judge_verdict(lines: KeyLines) -> Iterator[Finding]:
    verdict = lines.sound(_VERDICT)
    if verdict is not None and verdict.value not in _WORDS:
        yield at(verdict.line, "verdict", f"the verdict is {shown(verdict.value)}", _HINT)
    elif _VERDICT not in lines.lines and _VERDICT not in lines.spoiled:
        yield at(0, "no_verdict", "there is no verdict", _HINT)


def _contradicted(lines: KeyLines, data: bytes) -> Iterator[Finding]:
    """Find lines that a person would read as a BLOCK, beside an approval."""
    verdict = lines.sound(_VERDICT)
    if verdict is None or verdict.value != APPROVE:
        return
    for number, text in plain_lines(decoded(data)[0]):
        if _MARKED_BLOCK.fullmatch(text):
            what = f"line {verdict.line} says {APPROVE}, and this one {BLOCK}"
            yield at(number, "duplicate", what, "leave one of them out")


def _said(lines: KeyLines, key: str) -> tuple[str, ...]:
    """Return what stands behind a key, or below it: its items, or its first paragraph."""
    line = lines.lines.get(key)
    if line is None or line.value:
        return () if line is None else (line.value,)
    if line.points:
        return tuple(item.text for item in line.points)
    paragraph: list[str] = []
    for _, text in line.below:
        if text.strip():
            paragraph.append(text.strip())
        elif paragraph:
            break
    return (" ".join(paragraph),) if paragraph else ()

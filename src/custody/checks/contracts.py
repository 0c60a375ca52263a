"""What gates say about the documents of a change: each finding as a verdict."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from custody.errors import MalformedDocument
from custody.model.contracts.survey import Survey
from custody.model.finding import Finding
from custody.model.record import decode
from custody.model.verdict import Verdict
from custody.pipeline.key_lines import ReadDocument

if TYPE_CHECKING:
    from custody.pipeline.contracts.guardrails import Guardrails

TOLD = 50
"""How many findings about one document are told."""
_T = TypeVar("_T")


def read_contract(
    check: str, path: str, data: bytes | None, read: Callable[[bytes], ReadDocument[_T]]
) -> tuple[_T | None, tuple[Verdict, ...]]:
    """Return what could be made out of a document, and what is wrong; None where it is missing."""
    if data is None:
        return None, (_verdict(check, "missing", f"{path} is missing", path),)
    reading = read(data)
    wrong = (one for one in reading.findings if one.severity == "error")
    verdicts = (_verdict(check, one.code, told(one, path), path) for one in wrong)
    return reading.draft, tuple(islice(verdicts, TOLD))


def told(finding: Finding, path: str) -> str:
    """Return a finding on one line: where, what, and what to do about it."""
    where = f"{path}:{finding.line}" if finding.line else path
    hint = f" (hint: {finding.hint})" if finding.hint else ""
    return f"{where} {finding.message}{hint}"


def beyond_guardrails(request: bytes, rules: Guardrails) -> str:
    """Return what a file request asks for beyond the guardrails; empty where that is nothing.

    Of one that cannot be read nothing is said here: it gets no pack anyway.
    """
    from custody.model.contracts.file_request import FileRequestEnvelope

    try:
        asked = decode(request, FileRequestEnvelope, where="", any_text=True).budget
    except MalformedDocument:
        return ""
    pairs = (
        ("max_files", asked.max_files, rules.max_files),
        ("max_total_bytes", asked.max_total_bytes, rules.max_total_bytes),
    )
    over = (
        f"{name}={wanted} is more than the guardrails give: {most}"
        for name, wanted, most in pairs
        if wanted > most
    )
    return next(over, "")


def read_survey(data: bytes | None, path: str) -> Survey | None:
    """Return a survey; None when there is none. Raises `MalformedDocument`."""
    return None if data is None else decode(data, Survey, where=path)


def _verdict(check: str, code: str, reason: str, path: str) -> Verdict:
    return Verdict(check=check, allowed=False, code=code, reason=reason, subject=path)

"""From the bytes of a pipeline to the model, with everything there is to say about them."""

from __future__ import annotations

import re
from typing import Final

from custody.errors import PipelineInvalid
from custody.model.finding import Finding
from custody.model.graph import Catalog, Pipeline, Position
from custody.pipeline.build import build
from custody.pipeline.parser import parse
from custody.pipeline.rules import judge
from custody.pipeline.wording import found

SIZE_LIMIT: Final = 16 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_ASCII_CONTROL = bytes({*range(32), 127} - set(b"\t\n"))


def read_pipeline(source: bytes, catalog: Catalog) -> tuple[Pipeline | None, tuple[Finding, ...]]:
    """Read a pipeline; None when a finding is an error. Findings are in order of their places."""
    text, findings = _decode(source)
    pipeline = None
    if text is not None:
        parsed = parse(text)
        pipeline, more = build(parsed, source, catalog)
        findings += parsed.findings + more
        findings += judge(pipeline, catalog, complete=parsed.complete)
    ordered = sorted(set(findings), key=_place)
    refused = any(finding.severity == "error" for finding in ordered)
    return None if refused else pipeline, tuple(ordered)


def load_pipeline(source: bytes, catalog: Catalog, where: str) -> Pipeline:
    """Read a pipeline that must be good; raises `PipelineInvalid` with the findings."""
    pipeline, findings = read_pipeline(source, catalog)
    if pipeline is None:
        errors = sum(finding.severity == "error" for finding in findings)
        first = next(finding for finding in findings if finding.severity == "error")
        count = "1 finding forbids" if errors == 1 else f"{errors} findings forbid"
        place = f"{first.line}:{first.column} {first.code} {first.message}"
        raise PipelineInvalid(f"{count} running it; the first: {place}", findings, where=where)
    return pipeline


def _place(finding: Finding) -> tuple[int, int, str, str]:
    return finding.line, finding.column, finding.code, finding.message


def _decode(source: bytes) -> tuple[str | None, list[Finding]]:
    """Return the text, with what cannot stand in it taken out, and why it is refused."""
    if len(source) > SIZE_LIMIT:
        limit = SIZE_LIMIT // 1024 // 1024
        return None, [found("too_large", f"the file is larger than {limit} MiB", None)]
    findings: list[Finding] = []
    if source.startswith(_BOM):
        source = source.removeprefix(_BOM)
        here = Position(line=1, column=1)
        findings.append(found("syntax", "a byte-order mark", here, "save the file without one"))
    try:
        text = source.decode()
    except UnicodeDecodeError as error:
        at = _position(source[: error.start].decode(), error.start)
        what = f"byte 0x{source[error.start]:02x} is not UTF-8"
        return None, [*findings, found("syntax", what, at, "save the file as UTF-8")]
    plain = source.isascii() and len(source.translate(None, _ASCII_CONTROL)) == len(source)
    if not plain and _CONTROL.search(text):
        findings += _control_findings(text)
        text = _CONTROL.sub(" ", text)
    return text, findings


def _control_findings(text: str) -> list[Finding]:
    """Return one finding for each control character, where it stands first."""
    first: dict[str, int] = {}
    for match in _CONTROL.finditer(text):
        first.setdefault(match[0], match.start())
    return [
        found("syntax", f"control character U+{ord(char):04X}", _position(text, offset))
        for char, offset in first.items()
    ]


def _position(text: str, offset: int) -> Position:
    begin = text.rfind("\n", 0, offset) + 1
    return Position(line=text.count("\n", 0, begin) + 1, column=offset - begin + 1)

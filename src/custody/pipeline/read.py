"""From the bytes of a pipeline to the model, with everything there is to say about them."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from custody.errors import PipelineInvalid
from custody.model.finding import Finding
from custody.model.graph import Catalog, Pipeline, SourcePosition
from custody.model.journal_version import CURRENT, JournalVersion
from custody.patterns import later
from custody.pipeline.build import build
from custody.pipeline.messages import found
from custody.pipeline.parser import parse
from custody.pipeline.rules import judge
from custody.pipeline.subpipeline_files import Library, PartReader

SIZE_LIMIT: Final = 16 * 1024 * 1024
UNKNOWN: Final = "unknown_attribute"
"""The code of a finding that a graph may turn into a warning."""

_BOM = b"\xef\xbb\xbf"
_CONTROL = later("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_ASCII_CONTROL = bytes({*range(32), 127} - set(b"\t\n"))


def read_pipeline(
    source: bytes,
    catalog: Catalog,
    library: Library | None = None,
    *,
    name: str = "",
    begun_in: JournalVersion | None = None,
) -> tuple[Pipeline | None, tuple[Finding, ...]]:
    """Read a pipeline and its parts; None when a finding is an error.

    ``library`` has the parts, ``name`` is that of the pipeline in it. Findings are in order of
    their places, those of parts last. The pipeline of a run that has begun is read as it was then,
    by the version of its journal, ``begun_in``; and here nobody may know an agent that it asks.
    """
    pipeline, findings = _read_one(source, catalog, begun_in)
    if pipeline is not None:
        reader = PartReader(
            library, catalog, lambda part: _read_one(part, catalog, begun_in, for_items=True)
        )
        pipeline = reader.attach(pipeline, (name,))
        reader.judge_whole(pipeline)
        findings += reader.findings
    ordered = sorted(set(findings), key=_place)
    if pipeline is None or any(finding.severity == "error" for finding in ordered):
        return None, tuple(ordered)
    warnings = tuple(each.told(name) for each in ordered if each.code == UNKNOWN)
    return replace(pipeline, sources=reader.sources, warnings=warnings), tuple(ordered)


def load_pipeline(
    source: bytes,
    catalog: Catalog,
    where: str,
    library: Library | None = None,
    *,
    name: str = "",
    begun_in: JournalVersion | None = None,
) -> Pipeline:
    """Read a pipeline that must be good; raises `PipelineInvalid` with the findings."""
    pipeline, findings = read_pipeline(source, catalog, library, name=name, begun_in=begun_in)
    if pipeline is None:
        errors = sum(finding.severity == "error" for finding in findings)
        first = next(finding for finding in findings if finding.severity == "error")
        count = "1 finding forbids" if errors == 1 else f"{errors} findings forbid"
        file = f"{first.file}:" if first.file else ""
        place = f"{file}{first.line}:{first.column} {first.code} {first.message}"
        raise PipelineInvalid(f"{count} running it", findings, where=where, first=place)
    return pipeline


def _read_one(
    source: bytes, catalog: Catalog, begun_in: JournalVersion | None, *, for_items: bool = False
) -> tuple[Pipeline | None, list[Finding]]:
    """Read one text without its parts; None when nothing can be made of it."""
    text, findings = _decode(source)
    if text is None:
        return None, findings
    parsed = parse(text)
    aliases = (begun_in or CURRENT).attributes_known
    pipeline, more = build(parsed, source, catalog, aliases=aliases)
    if for_items:
        pipeline = replace(pipeline, for_items=True)
    findings += parsed.findings + more
    judged = judge(pipeline, catalog, complete=parsed.complete)
    findings += judged if begun_in is None else map(_let_through, judged)
    return pipeline, findings


def _let_through(finding: Finding) -> Finding:
    """Return a finding as it counts for a run that has begun: what nobody knows forbids nothing."""
    return replace(finding, severity="warning") if finding.code == UNKNOWN else finding


def _place(finding: Finding) -> tuple[str, int, int, str, str]:
    return finding.file, finding.line, finding.column, finding.code, finding.message


def _decode(source: bytes) -> tuple[str | None, list[Finding]]:
    """Return the text, with what cannot stand in it taken out, and why it is refused."""
    if len(source) > SIZE_LIMIT:
        limit = SIZE_LIMIT // 1024 // 1024
        return None, [found("too_large", f"the file is larger than {limit} MiB", None)]
    findings: list[Finding] = []
    source = source.removeprefix(_BOM)
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


def _position(text: str, offset: int) -> SourcePosition:
    begin = text.rfind("\n", 0, offset) + 1
    return SourcePosition(line=text.count("\n", 0, begin) + 1, column=offset - begin + 1)

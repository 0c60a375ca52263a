"""Logs, around the lines that tell of an error, with nothing left out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from custody.evidence.excerpt import as_text
from custody.patterns import later
from custody.seek.chunk import Chunk
from custody.seek.chunkers.cut import Section, chunks_of
from custody.seek.chunkers.source import NAMESPACE, Source, canonical, checked_content

VERSION = "log-1"
BEFORE = 3
"""Lines above an error that belong to it."""
AFTER = 15
"""Lines from an error on that belong to it, where no other one follows."""

_ERROR = later(
    rb"(?<![A-Za-z0-9_])"
    rb"(?:\w*(?:Error|Exception)"
    rb"|(?i:errors?|exceptions?|failures?|failed|fatal|panic|traceback|assert|critical|abort(?:ed)?))"
    rb"(?![A-Za-z0-9_])"
)
_NONE = later(
    rb"(?i)(?<![0-9])(?:0|no|without)\s+(?:\w+\s+)?(?:errors?|failures?|failed|exceptions?)\b"
)


def chunk_log(
    *,
    content: bytes | str,
    source_type: str,
    source_id: str,
    sha256: str = "",
    artifact_uri: str = "",
    evidence_uri: str = "",
    namespace: str = NAMESPACE,
    kind: str = "log",
) -> list[Chunk]:
    """Return the pieces of a log: errors with the lines around them, titled by the first one.

    A log has no uri of its own: one must be given. Raises `Refused` and `UriRefused`.
    """
    found = checked_content(content, sha256, where=source_id)
    source = Source(
        data=found.data,
        sha256=found.sha256,
        artifact_uri=canonical(evidence_uri or artifact_uri, found.sha256),
        source_type=source_type,
        source_id=source_id,
        kind=kind,
        namespace=namespace,
    )
    return chunks_of(source, _sections(found.data), VERSION)


def _sections(data: bytes) -> Iterator[Section]:
    """Yield a section for each stretch of errors with what is around it, and for the others."""
    begins = deque([0], maxlen=BEFORE + 1)
    floor, until = 0, 0
    yield Section(0)
    for number, line in enumerate(data.split(b"\n"), start=1):
        at = begins[-1]
        if number == until:
            floor = at
            yield Section(floor)
        if tells_of_error(line):
            if number >= until:
                yield Section(max(begins[0], floor), as_text(line.strip()))
            until = number + AFTER
        begins.append(at + len(line) + 1)


def tells_of_error(line: bytes) -> bool:
    """Whether a line of a log tells of an error, and not only that there was none."""
    return _ERROR.search(line) is not None and _ERROR.search(_NONE.sub(b"", line)) is not None

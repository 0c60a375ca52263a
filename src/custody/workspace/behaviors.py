"""What a repository says of its own behaviors: markers in the code, an index, a page each.

    BEHAVIOR_ID: and an id  in a file of the code: here that behavior is made
    docs/behaviors/INDEX.md  a line of a list or a table for each, with a link to its page
    docs/behaviors/B001-greets.md  its page, with ``## Reason``, ``## Behavior`` and ``## Result``

Nothing is judged here. Symlinks are not followed; folders whose names begin with a dot, those of
`SKIPPED` and Markdown files hold no markers. The same files give the same survey, to the byte.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from posixpath import normpath
from typing import NamedTuple

from custody.errors import PathRefused
from custody.model.behavior_catalog import CATALOG, INDEX
from custody.model.contracts.survey import (
    DeclaredEvidence,
    IndexEntry,
    Marker,
    Page,
    PassedOver,
    Survey,
)
from custody.patterns import later
from custody.pipeline.key_lines import decoded, ids_in, plain_lines
from custody.store.root import Root

FILE_LIMIT = 1 << 20
"""Most bytes of a file that is looked into."""
SKIPPED = frozenset({"runs", "build", "dist", "node_modules", "__pycache__", "venv"})

_MARKER = later(rb"\bBEHAVIOR_ID:[ \t]*(B[0-9]{1,12}+)(?![A-Za-z_])")
_ENTRY = later(r"[ \t]*(?:[-*+]|[0-9]+[.)]|\|)[ \t]*\S.*")
_LINK = later(r"\]\([ \t]*<?([^)>#]{0,300})[^)]*\)")
_PAGE = later(r"(B[0-9]{3})-[a-z0-9]+(?:-[a-z0-9]+)*\.md")
_HEADING = later(r"## +(.*?)[ \t#]*")
_MANY = 1 << 20
"""Names that a file may have: nothing is written to it."""
_REASONS = {"too_large": "too_large", "symlink": "symlink", "not_regular": "not_regular"}


class _Found(NamedTuple):
    """A file of the repository."""

    path: str
    content: bytes


def survey(root: Root, evidence: Iterable[str] = ()) -> Survey:
    """Look through a repository, and for paths that results name as their evidence."""
    passed: list[PassedOver] = []
    files = 0
    markers: list[Marker] = []
    pages: list[Page] = []
    index: bytes | None = None
    for path, content in _read_all(root, passed):
        files += 1
        if path == INDEX:
            index = content
        elif path.rpartition("/")[0] == CATALOG and path.endswith(".md"):
            pages.append(_page(path, content))
        elif not path.endswith(".md"):
            markers += _markers(path, content)
    return Survey(
        files=files,
        markers=tuple(markers),
        index=index is not None,
        entries=tuple(_entries(index or b"")),
        pages=tuple(pages),
        passed=tuple(passed),
        evidence=tuple(
            DeclaredEvidence(path=path, exists=_exists(root, path))
            for path in sorted(dict.fromkeys(evidence))
        ),
    )


def _read_all(root: Root, passed: list[PassedOver]) -> Iterator[_Found]:
    """Yield every file in order of the paths; those that cannot be read are ``passed``."""
    for path in sorted(_files(root)):
        try:
            path.encode()
        except UnicodeEncodeError:
            shown = os.fsencode(path).decode(errors="backslashreplace")
            passed.append(PassedOver(path=shown, reason="name"))
            continue
        try:
            yield _Found(path, root.read(path, limit=FILE_LIMIT, links=_MANY))
        except PathRefused as refused:
            reason = _REASONS.get(refused.code, "unreadable")
            passed.append(PassedOver(path=path, reason=reason))  # type: ignore[arg-type]


def _files(root: Root) -> Iterator[str]:
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with root.scan(folder) as items:
            for item in items:
                path = f"{folder}/{item.name}" if folder else item.name
                if not item.is_dir(follow_symlinks=False):
                    yield path
                elif item.name not in SKIPPED and not item.name.startswith("."):
                    waiting.append(path)


def _markers(path: str, content: bytes) -> Iterator[Marker]:
    if b"BEHAVIOR_ID" not in content:
        return
    for number, line in enumerate(content.split(b"\n"), 1):
        for found in _MARKER.finditer(line):
            yield Marker(id=found[1].decode(), path=path, line=number)


def _entries(index: bytes) -> Iterator[IndexEntry]:
    for number, line in plain_lines(decoded(index)[0]):
        ids = ids_in(line) if _ENTRY.fullmatch(line) else ()
        if ids and ids[0].startswith("B"):
            link = _LINK.search(line)
            page = normpath(f"{CATALOG}/{link[1].strip()}") if link else ""
            yield IndexEntry(id=ids[0], page=page, line=number)


def _page(path: str, content: bytes) -> Page:
    name = _PAGE.fullmatch(path.rpartition("/")[2])
    lines = plain_lines(decoded(content)[0])
    headings = tuple(found[1] for _, text in lines if (found := _HEADING.fullmatch(text)))
    return Page(id=name[1] if name else "", path=path, headings=headings)


def _exists(root: Root, path: str) -> bool:
    """Whether a file or a folder stands there; what lies behind a symlink does not."""
    try:
        mode = root.stat(path.rstrip("/")).st_mode
    except PathRefused:
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)

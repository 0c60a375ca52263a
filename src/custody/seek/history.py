"""The questions of a logbook's own history: its commits and revisions whose patches are indexed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from custody.errors import ResolveFailed
from custody.evidence import Resolver
from custody.evidence.check import exact_content
from custody.evidence.excerpt import as_text
from custody.logbook import Database
from custody.seek.questions import Described, Question, question, split

_SUBJECTS = """SELECT c.committed_at, p.blob_id, p.source_id, c.subject, p.evidence_uri
    FROM scm.git_commits c
    JOIN scm.patch_blobs p
        ON p.source_type = 'git' AND p.source_id = c.repo_id || ':' || c.commit_sha
    JOIN seek.sources s ON s.root = '' AND s.artifact_uri = p.evidence_uri
    WHERE p.format = 'diff'
    UNION ALL
    SELECT c.committed_at, p.blob_id, p.source_id, c.subject, p.evidence_uri
    FROM scm.svn_revisions c
    JOIN scm.patch_blobs p
        ON p.source_type = 'svn' AND p.source_id = c.repo_id || ':' || c.revision
    JOIN seek.sources s ON s.root = '' AND s.artifact_uri = p.evidence_uri
    WHERE p.format = 'diff'
    ORDER BY 1, 2"""

_T = TypeVar("_T")


class Questions(NamedTuple):
    """Questions, divided by time."""

    dev: list[Question]
    test: list[Question]


def questions_of(database: Database, resolver: Resolver, most: int) -> Questions:
    """Return at most so many questions of each kind, evenly out of the time that they are of."""
    with database.reading() as transaction:
        rows = transaction.run(_SUBJECTS)
    uris = {row[2]: row[4] for row in rows}
    parts = split([Described(row[3], row[2]) for row in rows])
    dev, test = (_questions(_evenly(part, most), uris, resolver) for part in parts)
    return Questions(dev, test)


def _questions(
    subjects: Iterable[Described], uris: dict[str, str], resolver: Resolver
) -> list[Question]:
    found = []
    for subject in subjects:
        try:
            content = exact_content(uris[subject.source_id], resolver)
        except ResolveFailed:
            continue  # whether its lines give it away cannot be seen
        found.append(question(subject, as_text(content.data)))
    return [one for one in found if one is not None]


def _evenly(items: Sequence[_T], most: int) -> list[_T]:
    if len(items) <= most:
        return list(items)
    return [items[number * len(items) // most] for number in range(most)]

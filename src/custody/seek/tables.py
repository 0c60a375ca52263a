"""The tables of the index, beside those of the logbook that it serves.

Nothing here is the text of a source: what stands in `postings` is which words a source has, how
often, and in which of its pieces, in no order of the text.
"""

from __future__ import annotations

from custody.logbook.migrations import Component, Step

_TABLES = (
    """CREATE TABLE seek.settings (
        name {key} PRIMARY KEY,
        value_json TEXT NOT NULL
    )""",
    """CREATE TABLE seek.sources (
        source_no {big} PRIMARY KEY,
        root TEXT NOT NULL,
        artifact_uri TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        source_id TEXT NOT NULL,
        source_type TEXT NOT NULL,
        kind TEXT NOT NULL,
        git_commit TEXT NOT NULL,
        chunking_version TEXT NOT NULL,
        pieces {big} NOT NULL,
        words {big} NOT NULL,
        lengths {bytes} NOT NULL,
        terms {bytes} NOT NULL,
        UNIQUE (root, artifact_uri)
    )""",
    "CREATE INDEX seek_sources_sha256 ON seek.sources (sha256)",
    """CREATE TABLE seek.chunks (
        source_no {big} NOT NULL,
        idx {big} NOT NULL,
        namespace TEXT NOT NULL,
        title TEXT NOT NULL,
        digest {bytes} NOT NULL,
        first_byte {big} NOT NULL,
        after_byte {big} NOT NULL,
        first_line {big} NOT NULL,
        last_line {big} NOT NULL,
        PRIMARY KEY (source_no, idx)
    ){rowless}""",
    "CREATE INDEX seek_chunks_digest ON seek.chunks (digest)",
    """CREATE TABLE seek.terms (
        term_no {big} PRIMARY KEY,
        term {key} NOT NULL UNIQUE,
        sources {big} NOT NULL
    )""",
    """CREATE TABLE seek.postings (
        term_no {big} NOT NULL,
        source_no {big} NOT NULL,
        times {big} NOT NULL,
        words {big} NOT NULL,
        places {bytes} NOT NULL,
        PRIMARY KEY (term_no, source_no)
    ){rowless}""",
    """CREATE TABLE seek.vectors (
        digest {bytes} PRIMARY KEY,
        data {bytes} NOT NULL
    )""",
    """CREATE TABLE seek.basis (
        term {key} PRIMARY KEY,
        data {bytes} NOT NULL
    )""",
    """CREATE TABLE seek.unresolved (
        root TEXT NOT NULL,
        artifact_uri TEXT NOT NULL,
        code TEXT NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (root, artifact_uri)
    )""",
)
_OF_SQLITE = {"big": "INTEGER", "key": "TEXT", "bytes": "BLOB", "rowless": " WITHOUT ROWID"}
_OF_POSTGRESQL = {"big": "BIGINT", "key": 'TEXT COLLATE "C"', "bytes": "BYTEA", "rowless": ""}


def _first() -> Step:
    return Step(
        number=1,
        name="index",
        sqlite=tuple(table.format_map(_OF_SQLITE) for table in _TABLES),
        postgresql=(
            "CREATE SCHEMA IF NOT EXISTS seek",
            *(table.format_map(_OF_POSTGRESQL) for table in _TABLES),
        ),
    )


SEEK = Component("seek", (_first(),))
"""Its steps are only ever added to."""
FILLED = ("sources", "chunks", "terms", "postings", "vectors", "basis", "unresolved", "settings")
"""What `--rebuild` empties."""

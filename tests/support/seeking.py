"""Sources for an index, made of their texts."""

from __future__ import annotations

import os

from custody.seek.chunkers import chunk_document
from custody.seek.records import Cut


def switched_off() -> bool:
    """Whether whoever runs the tests has switched the search off."""
    return os.environ.get("SEEKDB_ENABLE") == "0"


def document(path: str, text: str, root: str = "/docs") -> Cut:
    """Return a document with its pieces."""
    source_id = path.replace("/", ":", 1) if "/" in path else f".:{path}"
    chunks = chunk_document(content=text, source_id=source_id)
    uri = chunks[0].artifact_uri if chunks else f"memory://docs/{path}/{'0' * 64}"
    return Cut(
        artifact_uri=uri,
        sha256=chunks[0].sha256 if chunks else "0" * 64,
        source_id=source_id,
        source_type="docs",
        kind="document",
        chunks=tuple(chunks),
        root=root,
    )


PAGES = {
    "docs/retry.md": "# Retry\n\nA stage that failed is tried again.\n\n## Wait\n\nIt waits 5 s.\n",
    "docs/paths.md": "# Paths\n\nNo path leads out of the workspace.\n",
    "docs/journal.md": "# Journal\n\nEach line holds the hash of the line before.\n",
    "README.md": "# Read me\n\nStages, retries, a journal of lines.\n",
}


def pages(root: str = "/docs") -> list[Cut]:
    """Return some documents."""
    return [document(path, text, root) for path, text in PAGES.items()]

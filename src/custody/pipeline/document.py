"""Where the documents of a run lie: below folders of its directory that are meant for them."""

from __future__ import annotations

from collections.abc import Sequence

from custody.errors import PathRefused
from custody.model import layout
from custody.model.relpath import RelPath


def document_path(
    text: str, *, folder: bool = False, below: Sequence[str] = layout.DOCUMENT_FOLDERS
) -> RelPath:
    """Return the path of a document, or of a folder with some; raises `PathRefused`."""
    path = RelPath.parse(text)
    if path.parts[0] not in below or (len(path.parts) == 1 and not folder):
        *first, last = [f"{home}/" for home in below]
        homes = f"{', '.join(first)} or {last}" if first else last
        raise PathRefused("output_path", f"a document lies under {homes}, not at {text!r}")
    return path


def text_path(text: str) -> RelPath:
    """Return the path of a document that any node may write; raises `PathRefused`."""
    return document_path(text, below=layout.TEXT_FOLDERS)

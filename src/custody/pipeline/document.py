"""Where the documents of a run lie: under ``docs/`` or ``audits/`` of its directory."""

from __future__ import annotations

from custody.errors import PathRefused
from custody.model import layout
from custody.model.relpath import RelPath


def document_path(text: str, *, folder: bool = False) -> RelPath:
    """Return the path of a document, or of a folder with some; raises `PathRefused`."""
    path = RelPath.parse(text)
    if path.parts[0] not in layout.DOCUMENT_FOLDERS or (len(path.parts) == 1 and not folder):
        homes = " or ".join(f"{home}/" for home in layout.DOCUMENT_FOLDERS)
        raise PathRefused("output_path", f"a document lies under {homes}, not at {text!r}")
    return path

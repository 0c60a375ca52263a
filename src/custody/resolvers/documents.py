"""Documents: files below one root, the repository that one is in unless another is named."""

from __future__ import annotations

import os

from custody.evidence import Content
from custody.evidence.uri import DocUri, build_docs_evidence_uri
from custody.model.own_settings import OwnEvidence
from custody.resolvers.files import path_below, read_below
from custody.store.places import is_there


def docs_root(settings: OwnEvidence, folder: str) -> str:
    """Return the root of documents for whoever is in a folder."""
    if settings.docs_root:
        return settings.docs_root
    place = here = os.path.abspath(folder)
    while not is_there(os.path.join(place, ".git")):
        above = os.path.dirname(place)
        if above == place:
            return here
        place = above
    return place


def read_document(root: str, uri: DocUri) -> Content:
    """Return a document as it is now, whatever its sha256; raises `ResolveFailed`."""
    return read_below(root, uri.path, where=uri.text)


def document_at(root: str, file: str) -> DocUri | None:
    """Return the uri of a file by its absolute path; None where it lies outside of the root.

    Raises `ResolveFailed`.
    """
    path = path_below(root, file)
    if path is None:
        return None
    content = read_below(root, path, where=file)
    text = build_docs_evidence_uri(path, content.sha256)
    return DocUri(text=text, path=path, sha256=content.sha256)

"""What a user names as evidence: a uri, or a file by its path."""

from __future__ import annotations

import os
from collections.abc import Mapping

from custody.evidence.uri import (
    EvidenceUri,
    GitUri,
    SvnUri,
    build_file_uri,
    build_svn_uri,
    parse,
)
from custody.model.own_settings import OwnEvidence
from custody.resolvers.documents import docs_root, document_at
from custody.resolvers.git import pinned


def uri_of(
    subject: str, settings: OwnEvidence, environment: Mapping[str, str], *, folder: str
) -> EvidenceUri:
    """Return a uri that will mean the same tomorrow: with a commit, and spelled in one way.

    A file below the root for documents is a document, any other a file. Raises `UriRefused` and
    `ResolveFailed`.
    """
    if "://" not in subject:
        place = os.path.abspath(os.path.join(folder, subject))
        return document_at(docs_root(settings, folder), place) or parse(build_file_uri(place))
    uri = parse(subject)
    if isinstance(uri, GitUri):
        return pinned(settings.git, uri, environment)
    if isinstance(uri, SvnUri):
        return parse(build_svn_uri(uri.repository, uri.path, uri.revision))
    return uri

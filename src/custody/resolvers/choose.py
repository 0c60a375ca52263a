"""Picks who resolves a uri."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from custody.errors import LogbookFailed, PathRefused, ResolveFailed, StorageFailed
from custody.evidence import Artifacts, Content, Pointers
from custody.evidence.failure import UNREACHABLE
from custody.evidence.uri import (
    AttachmentUri,
    DocUri,
    EvidenceUri,
    FileUri,
    GitUri,
    HttpsUri,
    PatchBlobUri,
    SvnUri,
)
from custody.model.own_settings import OwnEvidence
from custody.resolvers.documents import docs_root, read_document
from custody.resolvers.files import read_named
from custody.store.own_settings import own_settings


class Resolvers:
    """Resolves every uri, as far as it was said where to go."""

    def __init__(
        self,
        settings: OwnEvidence,
        environment: Mapping[str, str],
        *,
        folder: str,
        pointers: Pointers | None = None,
        artifacts: Artifacts | None = None,
    ) -> None:
        """``folder`` is where one is: without another root, documents are those of its repository.

        A logbook is ``pointers`` with its ``artifacts``; without them it is the user's own.
        """
        self._settings = settings
        self._environment = environment
        self._folder = folder
        self._pointers = pointers
        self._artifacts = artifacts

    def resolve(self, uri: EvidenceUri) -> Content:
        """Return what a uri points at right now; raises `ResolveFailed`.

        The content of a patch and of an attachment has the sha256 that the uri names. That of a
        document is the file as it is now: `custody.evidence.check` compares.
        """
        settings, environment = self._settings, self._environment
        match uri:
            case DocUri():
                content = read_document(docs_root(settings, self._folder), uri)
            case FileUri():
                content = read_named(settings.file_roots, uri)
            case PatchBlobUri() | AttachmentUri():
                content = self._pointed(uri)
            case GitUri():
                from custody.resolvers.git import read_committed

                content = read_committed(settings.git, uri, environment)
            case SvnUri():
                from custody.resolvers.svn import read_revision

                content = read_revision(settings.svn, uri, environment)
            case HttpsUri():
                from custody.resolvers.web import read_page

                content = read_page(settings.https, uri, environment)
            case _:
                assert_never(uri)
        return content

    def _pointed(self, uri: PatchBlobUri | AttachmentUri) -> Content:
        """Return what a logbook points at: the one that was given, else the user's own."""
        from custody.resolvers.pointers import read_pointed

        roots = self._settings.file_roots
        if self._pointers is not None:
            return read_pointed(uri, self._pointers, self._artifacts, roots)
        from custody.logbook.configured import existing

        try:
            with existing(self._environment) as (book, artifacts):
                return read_pointed(uri, book, artifacts, roots)
        except (LogbookFailed, StorageFailed, PathRefused) as failed:
            raise ResolveFailed(UNREACHABLE, failed.what, where=uri.text) from failed


def configured(
    environment: Mapping[str, str],
    *,
    folder: str,
    pointers: Pointers | None = None,
    artifacts: Artifacts | None = None,
) -> Resolvers:
    """Return resolvers for what the user allows; raises `MalformedDocument` for his file."""
    settings = own_settings(environment).evidence
    return Resolvers(settings, environment, folder=folder, pointers=pointers, artifacts=artifacts)

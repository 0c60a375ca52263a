"""Resolvers: the bytes that an evidence uri points at, one way for each scheme.

    documents  memory://docs/…         below the root for documents
    pointers   memory://patch_blobs/…  where the logbook says, the sha256 checked
               memory://attachments/…
    files      file://…                below the folders that were named for it
    git        git://…                 what a commit of a named repository holds
    svn        svn://…                 what a revision of a named repository holds
    web        https://…               from the servers that were named
    program    how git and svn are run

Where one may go the user's own configuration says, and nothing else. Whatever goes wrong is
`ResolveFailed` with a code of `custody.evidence.failure`.
"""

from __future__ import annotations

LIMIT = 64 << 20
"""Most bytes that a content may have."""
SECONDS = 60.0
"""The longest that a program or a server may take."""

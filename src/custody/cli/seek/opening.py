"""Opens what a command searches: the logbook, its index, and what resolves uris."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from custody.cli.logbook.opening import logbook

if TYPE_CHECKING:
    from custody.evidence import Resolver
    from custody.logbook.book import Logbook
    from custody.seek.index import Index


class Opened(NamedTuple):
    """All of it, open."""

    book: Logbook
    seek: Index
    resolver: Resolver
    root: str
    """Where documents are looked up from here."""


@contextmanager
def opened(options: Namespace, *, begun: bool = False) -> Iterator[Opened]:
    """Open the logbook that the options name, with its index.

    A logbook that must have been ``begun`` is not made.
    """
    from custody.resolvers.choose import configured
    from custody.resolvers.documents import docs_root
    from custody.seek.configured import index_of
    from custody.store.own_settings import own_settings

    here = os.getcwd()
    own = own_settings(os.environ)
    root = _as_text(docs_root(own.evidence, here))
    with logbook(options, begun=begun) as (book, store):
        resolver = configured(os.environ, folder=here, pointers=book, artifacts=store)
        yield Opened(book, index_of(book.database, own.seek, os.environ), resolver, root)


def _as_text(root: str) -> str:
    """Return a root that a table can name; raises `UsageError` for any other."""
    from custody.errors import UsageError

    try:
        root.encode()
    except UnicodeEncodeError:
        hint = "name another root by CUSTODY_DOCS_ROOT"
        what = "the root of documents is called by bytes that are not UTF-8"
        raise UsageError(what, where=root, hint=hint) from None
    return root

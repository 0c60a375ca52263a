"""Pieces of documents that a context pack may hold beside what was asked for.

They are found by words alone, so they follow from the contents of the index, and its digest stands
for these: whoever names the digest knows what will be found, and another index is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from custody.errors import SeekFailed
from custody.evidence.uri import DocUri, parse
from custody.logbook.configured import existing
from custody.seek.configured import index_of
from custody.seek.index import Index
from custody.seek.records import Query
from custody.seek.switch import SKIPPED, is_enabled
from custody.store.own_settings import own_settings
from custody.workspace.pack.request import Suggestion

MOST = 10
"""Pieces at most."""
_KINDS = ("document", "code")


def suggested(text: str, digest: str, environment: Mapping[str, str]) -> list[Suggestion]:
    """Return what the user's own index finds for a text.

    Raises `SeekFailed`: ``digest`` where the index has another one, ``off`` where there is none.
    """
    if not is_enabled(environment):
        raise SeekFailed("off", SKIPPED)
    own = own_settings(environment).seek
    with existing(environment) as (book, _):
        if book is None:
            raise SeekFailed("off", "there is no logbook, and so no index")
        return suggestions(index_of(book.database, own, environment), text, digest)


def suggestions(index: Index, text: str, digest: str) -> list[Suggestion]:
    """Return what an index of that digest finds for a text; raises `SeekFailed` for another."""
    if (found := index.digest()) != digest:
        hint = "custody seek status"
        what = f"the index has the digest {found}, not {digest[:64]}"
        raise SeekFailed("digest", what, where=index.database.where, hint=hint)
    query = Query(text=text, count=MOST, each=2, root=None, kinds=_KINDS, words_only=True)
    pieces = []
    for hit in index.search(query).hits:
        uri = parse(hit.artifact_uri)
        if isinstance(uri, DocUri):
            pieces.append(Suggestion(uri.path, uri.sha256, hit.lines))
    return [*dict.fromkeys(pieces)]

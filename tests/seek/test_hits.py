"""What was found is evidence that a check finds exact."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from custody.evidence.check import check
from custody.evidence.checked import check_packet
from custody.model.own_settings import OwnEvidence
from custody.resolvers.choose import Resolvers
from custody.seek.hits import cite, packet
from custody.seek.index import Index
from custody.seek.records import Query
from support.seeking import PAGES, pages

pytestmark = pytest.mark.req("E-09", "E-10")


@pytest.fixture
def resolvers(tmp_path: Path) -> Resolvers:
    for path, text in PAGES.items():
        place = tmp_path / "docs" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    root = str(tmp_path / "docs")
    return Resolvers(OwnEvidence(docs_root=root), {}, folder=root)


def test_every_hit_is_a_reference_that_is_exact(index: Index, resolvers: Resolvers) -> None:
    index.put(pages())
    hits = cite(index.search(Query(text="retry journal path", root="/docs")).hits, resolvers)
    assert len(hits) == 4
    for hit in hits:
        found = check(hit.reference, resolvers)
        assert (found.state, hit.unresolved) == ("exact", "")
        assert hit.reference.bytes is not None
        assert hit.reference.lines is not None
        assert (
            hit.reference.excerpt
            in PAGES[hit.reference.source_id.replace("docs:", "docs/").replace(".:", "")]
        )


def test_a_packet_of_hits_is_valid(index: Index, resolvers: Resolvers) -> None:
    index.put(pages())
    hits = cite(index.search(Query(text="journal", root="/docs")).hits, resolvers)
    made = packet("journal", [*hits, replace(hits[0], unresolved="gone")])
    told, _ = check_packet(made, resolvers)
    assert (told.valid, told.evidence) == (True, 2)
    assert made.claims[0].claim == "a search for 'journal' found these pieces"


def test_what_cannot_be_had_is_told_and_stays_a_hit(
    index: Index, resolvers: Resolvers, tmp_path: Path
) -> None:
    index.put(pages())
    found = index.search(Query(text="retry wait", root="/docs")).hits
    (tmp_path / "docs/docs/retry.md").write_text("# Retry\n\nOtherwise.\n")
    first, *_ = cite(found, resolvers)
    assert (first.unresolved, first.reference.excerpt) == ("changed", "")
    (tmp_path / "docs/docs/retry.md").unlink()
    first, *rest = cite(found, resolvers)
    assert (first.unresolved, first.reference.bytes) == ("gone", None)
    assert len(rest) + 1 == len(found)
    [wrong] = cite([replace(found[1], digest="0" * 64)], resolvers)
    assert wrong.unresolved == "changed"
    assert "--rebuild" in wrong.reason

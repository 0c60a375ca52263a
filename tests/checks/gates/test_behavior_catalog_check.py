"""Code, index and pages speak of the same behaviors, both ways."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from custody.checks.gates.behavior_catalog_check import TOLD, BehaviorCatalogCheck
from custody.model import layout
from custody.model.contracts.survey import IndexEntry, Marker, Page, PassedOver, Survey
from custody.model.record import encode
from support.cases import case

pytestmark = pytest.mark.req("C-17")
PAGE = "docs/behaviors/B001-greets.md"
HEADINGS = ("Reason", "Behavior", "Result")
WHOLE = Survey(
    files=3,
    index=True,
    markers=(Marker(id="B001", path="a.py", line=1), Marker(id="B001", path="b.py", line=2)),
    entries=(IndexEntry(id="B001", page=PAGE, line=3),),
    pages=(Page(id="B001", path=PAGE, headings=("More", *HEADINGS)),),
)
OTHER = "docs/behaviors/B002-x.md"


def codes(survey: Survey) -> list[str]:
    gate = BehaviorCatalogCheck()
    return [v.code for v in gate.judge(case(documents={layout.SURVEY: encode(survey)}))]


def test_what_fits_together() -> None:
    assert codes(WHOLE) == []
    assert codes(Survey(files=9)) == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"markers": ()}, ["unmarked"]),
        ({"entries": ()}, ["unindexed", "unindexed", "unindexed"]),
        ({"pages": ()}, ["link"]),
        (
            {"index": False, "entries": ()},
            ["index_missing", "unindexed", "unindexed", "unindexed"],
        ),
        ({"markers": (*WHOLE.markers, Marker(id="B2", path="c", line=1))}, ["marker"]),
        ({"markers": (*WHOLE.markers, Marker(id="B002", path="c", line=1))}, ["unindexed"]),
        ({"entries": (*WHOLE.entries, *WHOLE.entries)}, ["duplicate", "duplicate"]),
        ({"entries": (IndexEntry(id="B001", page="", line=3),)}, ["link"]),
        ({"entries": (IndexEntry(id="B001", page=OTHER, line=3),)}, ["link"]),
        ({"pages": (*WHOLE.pages, Page(id="", path="docs/behaviors/x.md"))}, ["page_name"]),
        ({"pages": (*WHOLE.pages, Page(id="B002", path=OTHER, headings=HEADINGS))}, ["unindexed"]),
        (
            {"pages": (*WHOLE.pages, Page(id="B001", path=f"{OTHER}2", headings=HEADINGS))},
            ["duplicate", "duplicate"],
        ),
        ({"pages": (replace(WHOLE.pages[0], headings=("Reason", "result")),)}, ["heading"] * 2),
        ({"passed": (PassedOver(path=PAGE, reason="symlink"),)}, ["unreadable"]),
        ({"passed": (PassedOver(path="large.bin", reason="too_large"),)}, []),
    ],
)
def test_what_does_not(changed: dict[str, object], expected: list[str]) -> None:
    assert codes(replace(WHOLE, **changed)) == expected


def test_nothing_is_known_without_a_survey() -> None:
    gate = BehaviorCatalogCheck()
    assert [verdict.code for verdict in gate.judge(case())] == ["missing"]
    broken = case(documents={layout.SURVEY: "{"})
    assert [verdict.code for verdict in gate.judge(broken)] == ["survey"]


def test_not_more_is_told_than_anybody_reads() -> None:
    many = tuple(Marker(id=f"B{n:03d}", path="a", line=n) for n in range(2 * TOLD))
    assert len(codes(replace(WHOLE, markers=(*WHOLE.markers, *many)))) == TOLD

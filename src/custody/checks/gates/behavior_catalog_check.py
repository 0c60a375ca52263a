"""Whether code, index and pages speak of the same behaviors, both ways.

index_missing  there are markers or pages, and no index
unreadable     a file of the catalog that could not be read
marker         a marker whose id is not B and three digits
unindexed      a marker or a page whose id no line of the index names
unmarked       a line of the index whose id no code has
link           a line of the index that leads to no page, or to that of another behavior
duplicate      two lines of the index, or two pages, for one id
page_name      a file among the pages that is not called ``B###-<slug>.md``
heading        a page without one of its headings
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from custody.checks.gates import Case, Gate
from custody.errors import MalformedDocument
from custody.model import layout
from custody.model.behavior_catalog import CATALOG, HEADINGS, INDEX
from custody.model.verdict import Verdict
from custody.patterns import later

if TYPE_CHECKING:
    from custody.model.contracts.survey import Survey

TOLD = 100
"""How many verdicts are told."""
_ID = later(r"B[0-9]{3}")


class BehaviorCatalogCheck(Gate):
    """Judges what the survey of a repository has found."""

    name = "behavior_catalog_check"
    doc = "Every behavior has a marker in the code, a line in the index and a page, and no other."

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find what does not fit together; without a survey nothing does."""
        from custody.checks.contracts import read_survey

        try:
            survey = read_survey(case.document(layout.SURVEY), layout.SURVEY)
        except MalformedDocument as malformed:
            yield self.wrong("survey", str(malformed), layout.SURVEY)
            return
        if survey is None:
            yield self.wrong("missing", f"{layout.SURVEY} is missing", layout.SURVEY)
        else:
            yield from islice(self._found(survey), TOLD)

    def _found(self, survey: Survey) -> Iterator[Verdict]:
        for each in survey.passed:
            if each.path.startswith(f"{CATALOG}/"):
                yield self.wrong("unreadable", f"{each.path} is not read: {each.reason}", each.path)
        if not survey.index and (survey.markers or survey.pages):
            yield self.wrong("index_missing", f"{INDEX} is missing", INDEX)
        yield from self._markers(survey)
        yield from self._entries(survey)
        yield from self._pages(survey)

    def _markers(self, survey: Survey) -> Iterator[Verdict]:
        indexed = {entry.id for entry in survey.entries}
        for marker in survey.markers:
            where = f"{marker.path}:{marker.line}"
            if _ID.fullmatch(marker.id) is None:
                what = f"{where} marks {marker.id!r}, which is no id: B and three digits"
                yield self.wrong("marker", what, where)
            elif marker.id not in indexed:
                what = f"{where} marks {marker.id}, which {INDEX} does not name"
                yield self.wrong("unindexed", what, marker.id)

    def _entries(self, survey: Survey) -> Iterator[Verdict]:
        marked = {marker.id for marker in survey.markers}
        pages = {page.path: page.id for page in survey.pages}
        times = Counter(entry.id for entry in survey.entries)
        for entry in survey.entries:
            where = f"{INDEX}:{entry.line}"
            if times[entry.id] > 1:
                yield self.wrong("duplicate", f"{where} names {entry.id} once more", entry.id)
            if entry.id not in marked:
                yield self.wrong("unmarked", f"{where}: no code has {entry.id}", entry.id)
            if not entry.page:
                yield self.wrong("link", f"{where}: {entry.id} has no link to its page", entry.id)
            elif pages.get(entry.page) != entry.id:
                what = f"{where}: {entry.page} is no page of {entry.id}"
                yield self.wrong("link", what, entry.id)

    def _pages(self, survey: Survey) -> Iterator[Verdict]:
        indexed = {entry.id for entry in survey.entries}
        times = Counter(page.id for page in survey.pages)
        for page in survey.pages:
            if not page.id:
                what = f"{page.path} is not called B###-<slug>.md"
                yield self.wrong("page_name", what, page.path)
                continue
            if times[page.id] > 1:
                yield self.wrong("duplicate", f"{page.path}: {page.id} has two pages", page.id)
            if page.id not in indexed:
                what = f"{page.path}: {INDEX} does not name {page.id}"
                yield self.wrong("unindexed", what, page.id)
            for heading in HEADINGS:
                if heading not in page.headings:
                    yield self.wrong("heading", f"{page.path} lacks '## {heading}'", page.path)

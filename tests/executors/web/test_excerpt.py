"""The piece of a page that has most to do with a goal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.executors.web.excerpt import CHARACTERS, LINES, excerpt
from custody.executors.web.page import PageHeading, PageText

TEXT = PageText(
    ("Intro", "About cats", "Parser", "How parsers fail", "and tests"),
    headings=(PageHeading(0, "Intro"), PageHeading(2, "Parser", "parse")),
)


@pytest.mark.req("C-11")
def test_the_section_with_most_words_is_taken() -> None:
    found = excerpt(TEXT, "Repair the failing parser tests")
    assert found.text == "Parser\nHow parsers fail\nand tests"
    assert (found.locator.type, found.locator.value) == ("anchor", "parse")
    assert found.words == ("fail", "parser", "test")
    cats = excerpt(TEXT, "cats")
    assert (cats.locator.type, cats.locator.value) == ("heading", "Intro")


def test_lines_are_named_where_there_are_no_headings() -> None:
    found = excerpt(PageText((*tuple(f"line {n}" for n in range(9)), "parser")), "parser")
    assert (found.text, found.locator.type, found.locator.value) == (
        "line 7\nline 8\nparser",
        "line_range",
        "8-10",
    )


def test_a_page_that_has_nothing_to_do_with_it() -> None:
    found = excerpt(PageText(("a", "b")), "parser")
    assert (found.text, found.words) == ("a\nb", ())
    assert excerpt(PageText(()), "parser").text == ""


@pytest.mark.req("C-11")
@given(st.lists(st.text(alphabet="a parse", max_size=900), max_size=60), st.booleans())
def test_an_excerpt_is_verbatim_and_short(lines: list[str], headed: bool) -> None:
    headings = (PageHeading(0, lines[0]),) if headed and lines else ()
    found = excerpt(PageText(tuple(lines), headings=headings), "parse")
    assert found.text in "\n".join(lines)
    assert len(found.text) <= CHARACTERS
    assert found.text.count("\n") < LINES

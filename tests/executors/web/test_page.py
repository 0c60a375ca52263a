"""From what a server sent to lines of text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.egress.fetch import FetchedPage
from custody.executors.web.page import PageHeading, PageText, links, read_page


def page(text: str, kind: str = "text/html") -> FetchedPage:
    return FetchedPage("https://a.example/", kind, "utf-8", text.encode())


def read(text: str) -> PageText:
    return read_page(page(text))


def test_blocks_are_lines_and_headings_have_anchors() -> None:
    found = read(
        "<title>The &amp; Title</title><h1 id='top'>First</h1><p>One <b>bold</b>\n  word</p>"
        "<ul><li>a<li>b</ul><h2>Second</h2>tail<br>end"
    )
    assert found.title == "The & Title"
    assert found.lines == ("First", "One bold word", "a", "b", "Second", "tail", "end")
    assert found.headings == (PageHeading(0, "First", "top"), PageHeading(4, "Second"))


@pytest.mark.parametrize(
    "text",
    [
        '<p style="display: none">Secret words</p>',
        '<div style="color:red;visibility:hidden"><p>Secret</p> words</div>',
        "<span hidden>Secret words</span>",
        '<p aria-hidden="true">Secret words</p>',
        '<p style="font-size:0">Secret words</p>',
        "<!-- Secret words -->",
    ],
)
def test_what_is_not_shown_is_kept_apart(text: str) -> None:
    found = read(f"<p>before</p>{text}<p>after</p>")
    assert found.lines == ("before", "after")
    assert found.hidden == "Secret words"


def test_scripts_and_styles_are_no_text() -> None:
    found = read(
        "<style>a{}</style><SCRIPT>if (a < b) alert('</p>')</SCRIPT >x<svg><text>y</text></svg>"
    )
    assert (found.lines, found.hidden) == (("x",), "")


def test_plain_text_stays_as_it_is() -> None:
    found = read_page(page("a\n  b\r\n<c>\n", "text/plain"))
    assert found.lines == ("a", "  b\r", "<c>", "")


def test_links() -> None:
    text = '<a href="/x?a=1&amp;b=2">x</a> <A class=y HREF="no"> <a class="y" href=\'z\'>z</a>'
    assert list(links(page(text))) == ["/x?a=1&b=2", "z"]


@given(st.text(alphabet="<>/!-abhp \"'=&;", max_size=200))
def test_any_text_is_read(text: str) -> None:
    found = read(text)
    assert all(line.strip() == line and "\n" not in line for line in found.lines)


@pytest.mark.parametrize(
    "piece", ["<", "<a ", "<!--", "<!", "<p>", "</p>", "<script>", "&", "<a href="]
)
def test_no_page_takes_longer_than_its_length(piece: str) -> None:
    text = piece * (500_000 // len(piece)) + ">"
    began = time.process_time()
    read(text)
    list(links(page(text)))
    assert time.process_time() - began < 10

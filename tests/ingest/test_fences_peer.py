"""Fences begin and end where markdown-it-py, which follows CommonMark, says that they do."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from custody.ingest.fences import parse_fences
from support.sweep import examples

PEER = MarkdownIt("commonmark").disable("html_block")
"""HTML is not looked at."""

marks = st.builds(
    lambda mark, count: mark * count, st.sampled_from("``~"), st.integers(min_value=2, max_value=5)
)
infos = st.sampled_from(
    ["", "", "", " ", "\t", "python", "py file=a.py", " x", "a`b", "~~~", "sh  file=b", "x ~ y"]
)
fences = st.builds(
    "{}{}{}".format, st.sampled_from(["", "", "", "", " ", "  ", "   ", "    ", "\t"]), marks, infos
)
texts = st.sampled_from(
    ["", "", "text", " one", "  two", "   three", "    four", "> quote", "a ``` b", ">", "``", "x`",
     "# h", "***", "---", "==="]
)  # fmt: skip
quoted = st.builds("> {}".format, fences)
items = st.builds(
    "{}{}{}".format,
    st.sampled_from(["- ", "1. ", "  - ", "*  ", "10) "]),
    st.sampled_from(["", "", "- "]),
    st.one_of(st.just("item"), fences),
)


def documents(*lines: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return documents of such lines; each ends as the others do."""
    ends = st.sampled_from(["\n", "\n", "\r\n"])
    return st.builds(
        lambda lines, end: "".join(line + end for line in lines),
        st.lists(st.one_of(*lines), max_size=14),
        ends,
    )


def ours(text: str) -> list[tuple[int, str]]:
    """Return line and content of every block that begins at the margin."""
    data = text.encode()
    return [
        (fence.line, data[fence.begin : fence.end].decode().replace("\r\n", "\n"))
        for fence in parse_fences(data)
        if fence.marks and data[fence.start : fence.start + 1] in {b"`", b"~"}
    ]


def theirs(text: str) -> list[tuple[int, str]]:
    lines = text.split("\n")
    return [
        (token.map[0] + 1, token.content)
        for token in PEER.parse(text)
        if token.type == "fence" and token.map and lines[token.map[0]][:1] in {"`", "~"}
    ]


@pytest.mark.req("I-04", "I-05")
@settings(max_examples=examples(400))
@given(documents(fences, fences, texts))
@example("````md file=a.md\n```sh\nls\n```\n````\n")
@example("  ```\n```python file=a.py\nx\n```\n  ```\n")
@example("```py file=a.py\nx\n")
@example("text\n```\nx\n``` \t\n")
def test_both_agree_where_there_are_no_lists(text: str) -> None:
    assert ours(text) == theirs(text)


@pytest.mark.req("I-04", "I-05")
@settings(max_examples=examples(400))
@given(documents(fences, texts, items, quoted))
@example("- ```sh\n  ls\n  ```\n\n```python file=a.py\nx\n```\n")
@example("- one\n\n  ```sh\n\ntext\n\n```\n```python file=a.py\ny\n```\n")
@example("> ```\n```py file=a.py\n> ```\n")
def test_both_agree_among_lists_and_quotes(text: str) -> None:
    assert ours(text) == theirs(text)

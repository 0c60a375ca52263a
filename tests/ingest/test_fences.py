"""Fences: what is a block, what it says, and how long it takes to tell."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from custody.ingest.fence_info import LONGEST_INFO
from custody.ingest.fence_reasons import REASONS
from custody.ingest.fences import Fence, parse_fences

MEGABYTE = 1 << 20


def read(text: str | bytes) -> list[Fence]:
    return list(parse_fences(text.encode() if isinstance(text, str) else text))


def contents(text: str) -> list[tuple[str, str]]:
    """Return path and content of the blocks that have the accepted form."""
    data = text.encode()
    return [
        (fence.path, data[fence.begin : fence.end].decode())
        for fence in parse_fences(data)
        if not fence.reason
    ]


def block(opening: str) -> str:
    return f"{opening}\nx=1\n```\n"


@pytest.mark.req("I-05")
@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("~~~python file=a.py\nx\n~~~\n", ["tilde"]),
        ("~~~python file=a.py\nx\n", ["tilde"]),
        ("    ```python file=a.py\n    x\n    ```\n", ["indented"]),
        ("\t```python file=a.py\n", ["indented"]),
        (" ```python file=a.py\nx\n ```\n", ["indented"]),
        ("- a\n\n  ```python file=a.py\n  x\n  ```\n", ["indented"]),
        ("- ```python file=a.py\n  x\n  ```\n", ["list_item"]),
        ("> ```python file=a.py\n> x\n> ```\n", ["quoted_block"]),
        ("> - > ```python file=a.py\n", ["quoted_block"]),
        ("```python file=a.py\nx\n", ["unclosed"]),
        ("```python file=a.py", ["unclosed"]),
        ("```python file=`a.py`\n", ["quoted"]),
        ("```python file=a.py `x`\n", ["malformed"]),
        ("Please write `a.py`: file=a.py\n", []),
        ("see ```python file=a.py\nx\n", []),
        ("`` python file=a.py\nx\n``\n", []),
        ("``````\n``````\n", ["no_file"]),
    ],
)
def test_other_forms_are_told_and_not_taken(text: str, reasons: list[str]) -> None:
    assert [fence.reason for fence in read(text)] == reasons


@pytest.mark.req("I-04")
class TestExtent:
    def test_a_longer_fence_holds_shorter_ones(self) -> None:
        text = "````md file=a.md\n```py file=b.py\nx\n```\n````\n"
        assert contents(text) == [("a.md", "```py file=b.py\nx\n```\n")]
        assert len(read(text)) == 1

    def test_the_end_may_be_longer_indented_and_followed_by_blanks(self) -> None:
        assert contents("```md file=a\nx\n   ````` \t\n") == [("a", "x\n")]

    def test_four_blanks_or_a_shorter_fence_are_no_end(self) -> None:
        text = "````md file=a\n    ````\n```\n````\n"
        assert contents(text) == [("a", "    ````\n```\n")]

    def test_tildes_do_not_end_backticks(self) -> None:
        assert contents("```md file=a\n~~~\n```\n") == [("a", "~~~\n")]

    def test_line_ends_are_kept_as_they_are(self) -> None:
        text = "```md file=a\r\nx\r\n\ny\r```\r\n```\r\n"
        assert contents(text) == [("a", "x\r\n\ny\r```\r\n")]

    def test_an_empty_block_is_one(self) -> None:
        assert contents("```md file=a\n```\n") == [("a", "")]

    def test_an_end_without_a_newline(self) -> None:
        assert contents("```md file=a\nx\n```") == [("a", "x\n")]

    def test_only_a_newline_ends_a_line(self) -> None:
        text = "x\x0b```py file=a.py\n\x0c```py file=b.py\n\x85```py file=c.py\n"
        assert read(text) == []

    def test_an_opening_in_a_block_is_content_and_told(self) -> None:
        text = "```py file=a.py\n```py file=b.py\ny\n```\n"
        assert contents(text) == [("a.py", "```py file=b.py\ny\n")]
        assert [(f.line, f.path, f.reason) for f in read(text)][1:] == [(2, "b.py", "nested")]

    def test_an_end_with_an_info_is_content_and_told(self) -> None:
        text = "```py file=a.py\nx\n```py file=b.py\ny\n```\n"
        assert contents(text) == [("a.py", "x\n```py file=b.py\ny\n")]
        assert [(f.line, f.path, f.reason) for f in read(text)][1:] == [(3, "b.py", "malformed")]

    def test_a_block_in_an_item_ends_with_the_item(self) -> None:
        text = "- a\n\n  ```sh\n  ls\n\ntext\n\n```py file=a.py\nx\n```\n"
        assert contents(text) == [("a.py", "x\n")]

    def test_a_byte_order_mark_is_passed_over(self) -> None:
        assert contents("\ufeff```md file=a\nx\n```\n") == [("a", "x\n")]

    def test_lines_are_counted(self) -> None:
        text = "a\n\n```md file=a\nx\n```\n\n\n~~~\n~~~\n"
        assert [fence.line for fence in read(text)] == [3, 8]


def test_bytes_that_are_no_text() -> None:
    (fence,) = read(b"```py file=\xff\n\xfe\n```\n")
    assert (fence.path, fence.reason) == ("\udcff", "")


pieces = st.lists(
    st.sampled_from(
        ["```", "````", "~~~", "`", "\n", "\n", "\r\n", " ", "    ", "py file=a.py", "file=", "> ",
         "- ", "1. ", "x", "\t", "\x0b", "é"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@pytest.mark.req("I-04")
@given(st.one_of(pieces.map(str.encode), st.binary(max_size=200)))
@example(b"```")
@example(b"\n```\r")
def test_any_bytes_are_read(data: bytes) -> None:
    fences = list(parse_fences(data))
    for fence in fences:
        assert 0 <= fence.start <= fence.begin <= fence.end <= len(data)
        assert fence.line == data.count(b"\n", 0, fence.start) + 1
        assert fence.reason in {"", *REASONS}
    assert [fence.start for fence in fences] == sorted({fence.start for fence in fences})
    taken = [fence for fence in fences if not fence.reason]
    assert all(one.end <= two.start for one, two in pairwise(taken))


LINES = 5_000
HARD: dict[str, Callable[[int], bytes]] = {
    "one line": lambda n: b"x" * n * MEGABYTE,
    "marks in one line": lambda n: b"x ```" * (n * MEGABYTE // 5),
    "ticks alone": lambda n: b"`" * n * MEGABYTE,
    "openings without an end": lambda n: b"```a file=b\n" * n * LINES,
    "a long info": lambda n: b"```" + b"a" * n * MEGABYTE + b" file=b\nx\n```\n",
    "longer and longer": lambda n: b"".join(b"`" * k + b"\n" for k in range(3, 2000)) * n,
    "shorter and shorter": lambda n: b"".join(b"`" * k + b"x\n" for k in range(2000, 3, -1)) * n,
    "items": lambda n: b"- ```\n" * n * LINES,
    "items and indented fences": lambda n: b"- a\n  ```\n" * n * LINES,
    "indented fences far down": lambda n: b"- a\n" * n * LINES + b"  ```\n  ```\n" * n * LINES,
    "quotes": lambda n: b"> ```a file=b\n" * n * LINES,
    "a long prefix": lambda n: b"> " * n * MEGABYTE + b"```a file=b\n",
    "dashes before marks": lambda n: (b"-" * 1000 + b"```\n") * n * LINES,
    "tildes and ticks": lambda n: b"~~~\n```\n" * n * LINES,
    "deeper and deeper items": lambda n: (
        (b"".join(b" " * k + b"- a\n" for k in range(0, 1000, 2)) + b"  ```\n  ```\n" * 1000) * n
    ),
}
"""What makes a careless reader take the square of the time, by its size."""


@pytest.mark.req("I-04")
@pytest.mark.parametrize("name", HARD)
def test_the_time_grows_with_the_size_alone(name: str) -> None:
    """Eight times the size takes about eight times as long; what is quadratic takes 64 times."""
    part, whole = HARD[name](1), HARD[name](8)
    assert cost(whole) < 24 * max(min(cost(part) for _ in range(3)), 0.002)


def cost(data: bytes) -> float:
    """Return the processor time that reading takes."""
    began = time.process_time()
    count = sum(1 for _ in parse_fences(data))
    assert count <= len(data) // 6
    return time.process_time() - began


@pytest.mark.req("I-04")
def test_memory_does_not_grow_with_the_document() -> None:
    data = (b"prose\n" * 1000 + b"```a file=b\n" + b"content\n" * 1000 + b"```\n") * 2000
    tracemalloc.start()
    try:
        assert sum(1 for _ in parse_fences(data)) == 2000
        assert tracemalloc.get_traced_memory()[1] < len(data) // 100
    finally:
        tracemalloc.stop()


def test_an_opening_that_is_too_long_is_not_looked_at() -> None:
    long = "a" * LONGEST_INFO
    assert [fence.reason for fence in read(block(f"```py file={long}"))] == ["malformed"]
    assert [fence.reason for fence in read(block(f"```py file={long[:1000]}"))] == [""]

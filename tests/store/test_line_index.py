from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from custody.model.event import FACTS, StageStarted
from custody.model.process_event import PipelineReplaced
from custody.store.line_index import LineIndex
from support.facts import line_of, sample


def digest(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def indexed(nodes: str) -> LineIndex:
    """Return an index with one line of ten bytes for each letter, which is its node."""
    index = LineIndex()
    for seq, node in enumerate(nodes):
        index.add(line_of(sample(StageStarted, node=node), seq), 10, digest(seq))
    return index


def rows(index: LineIndex, first: int = 0, last: int | None = None) -> list[int]:
    return [seq for row in index.counting(first, last) for seq in range(row[0], row[1] + 1)]


def test_lines_are_found_by_number_digest_and_node() -> None:
    index = indexed("abcab")
    assert (len(index), index.end, index.span(1, 3)) == (5, 50, (10, 40))
    assert index.digest(2).hex() == digest(2)
    assert [*index.of_node("a")] == [0, 3]
    assert [*index.of_node("x")] == []
    assert [*index.nodes()] == ["a", "b", "c"]
    assert index.kind(0) is StageStarted


def test_a_digest_is_found_where_a_line_has_it() -> None:
    index = indexed("abc")
    assert [index.find(digest(seq)) for seq in (0, 2, 3)] == [0, 2, None]
    astride = (index.digest(0)[16:] + index.digest(1)[:16]).hex()
    assert index.find(astride) is None
    assert index.find("no digest") is None
    assert index.find(digest(1).upper()) is None


def test_every_kind_of_fact_has_its_number() -> None:
    index = LineIndex()
    for seq, kind in enumerate(FACTS.values()):
        index.add(line_of(sample(kind), seq), 10, digest(seq))
    assert [index.kind(seq) for seq in range(len(index))] == [*FACTS.values()]


def test_what_is_set_aside_counts_no_more() -> None:
    index = indexed("abcabc")
    index.add(line_of(sample(PipelineReplaced), 6), 10, digest(6))
    assert index.cut == set()
    index.set_aside(1, 6)
    assert index.cut == {*"abc"}
    assert rows(index) == [0, 1, 6]
    assert [[*index.of_node(node)] for node in "abc"] == [[0], [1], []]


@given(st.lists(st.integers(min_value=0, max_value=1 << 30), max_size=6), st.data())
def test_the_rule_of_what_counts(cuts: list[int], data: st.DataObject) -> None:
    """A later change keeps a line that counts, so what was set aside never comes back."""
    index, seq, gaps, counting = LineIndex(), 0, [], [0]
    index.add(line_of(sample(StageStarted, node="a"), 0), 10, digest(0))
    for cut in cuts:
        for _ in range(cut % 5):
            seq += 1
            index.add(line_of(sample(StageStarted, node="a"), seq), 10, digest(seq))
            counting.append(seq)
        kept = counting[cut % len(counting)]
        seq += 1
        index.add(line_of(sample(PipelineReplaced), seq), 10, digest(seq))
        index.set_aside(kept, seq)
        gaps.append((kept, seq))
        counting = [line for line in counting if line <= kept] + [seq]
    expected = [n for n in range(seq + 1) if not any(kept < n < at for kept, at in gaps)]
    assert rows(index) == expected == counting
    assert [*index.of_node("a")] == [n for n in expected if index.kind(n) is StageStarted]
    first = data.draw(st.integers(0, seq))
    last = data.draw(st.integers(first, seq))
    assert rows(index, first, last) == [n for n in expected if first <= n <= last]

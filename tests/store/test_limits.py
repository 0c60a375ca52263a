"""What a fact may hold when it becomes a journal line."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from custody.errors import MalformedDocument
from custody.model.event import StageCompleted
from custody.model.outcome import Outcome
from custody.store.limits import LINE_LIMIT, TEXT_LIMIT, as_recorded, capped, encoded


def fact_of(notes: str = "", **context: Any) -> StageCompleted:
    outcome = Outcome(status="success", notes=notes, context_updates=context)
    return StageCompleted(node="a", visit=1, attempt=1, outcome=outcome)


def test_cutting_is_done_once() -> None:
    once = capped(fact_of("x" * 100_000))
    assert capped(once) is once
    assert capped(fact_of("x" * TEXT_LIMIT)).outcome.notes == "x" * TEXT_LIMIT


def test_keys_are_texts_too() -> None:
    fact = capped(fact_of("", **{"k" * 100_000: 1}))
    (key,) = fact.outcome.context_updates
    assert len(key) <= TEXT_LIMIT


def test_too_many_texts() -> None:
    with pytest.raises(MalformedDocument) as caught:
        encoded(fact_of(x=["y" * 60_000] * (LINE_LIMIT // 60_000 + 1)))
    assert caught.value.code == "too_large"


def test_nothing_of_a_character_is_left_where_a_text_is_cut() -> None:
    cut = capped(fact_of("é" * TEXT_LIMIT)).outcome.notes
    kept, _, mark = cut.partition("…")
    assert set(kept) == {"é"}
    assert mark.startswith(f" [cut: {2 * TEXT_LIMIT} bytes, sha256 ")
    assert len(cut.encode()) <= TEXT_LIMIT


@pytest.mark.parametrize("value", [math.nan, math.inf, [{"deep": -math.inf}]])
def test_a_number_that_is_not_finite_is_refused(value: Any) -> None:
    with pytest.raises(MalformedDocument) as refused:
        encoded(fact_of(x=value))
    assert refused.value.code == "json"


def test_a_number_that_is_not_finite_is_found_beside_what_is_none() -> None:
    with pytest.raises(MalformedDocument, match="holds nan"):
        encoded(fact_of(x=None, y=[None, math.nan]))


def test_none_is_no_such_number() -> None:
    assert json.loads(encoded(fact_of(x=None)))["outcome"]["context_updates"] == {"x": None}


def test_what_json_cannot_say_is_refused() -> None:
    with pytest.raises(MalformedDocument) as refused:
        encoded(fact_of(x="\ud800"))
    assert refused.value.code == "json"


def test_a_line_has_one_end() -> None:
    """Whoever splits at every line break of Unicode gets whole lines, too."""
    text = "a\x85b\u2028c\u2029d\n"
    line = encoded(fact_of(text)).decode()
    assert line.splitlines() == [line]
    assert json.loads(line)["outcome"]["notes"] == text


def test_a_fact_is_seen_as_its_reader_will_see_it() -> None:
    assert as_recorded(fact_of("x", n=1)) == fact_of("x", n=1)
    long = fact_of("x" * (TEXT_LIMIT + 1))
    assert as_recorded(long) == capped(long) != long
    assert as_recorded(fact_of("", pair=(1, 2))).outcome.context_updates == {"pair": [1, 2]}

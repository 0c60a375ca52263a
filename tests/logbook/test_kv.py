"""Small values by name."""

from __future__ import annotations

import pytest

from custody.errors import MalformedDocument, UsageError
from custody.logbook.book import Logbook


def test_the_last_value_counts(book: Logbook) -> None:
    assert book.get("sync", "a", int) is None
    for value in (1, 1, 2):
        book.put("sync", "a", value)
    book.put("other", "a", {"b": ["c\0"]})
    assert book.get("sync", "a", int) == 2
    assert book.get("other", "a", dict[str, list[str]]) == {"b": ["c\0"]}


def test_a_value_of_another_kind_is_told(book: Logbook) -> None:
    book.put("sync", "a", "text")
    with pytest.raises(MalformedDocument, match="sync/a"):
        book.get("sync", "a", int)


def test_a_name_that_no_table_takes(book: Logbook) -> None:
    with pytest.raises(UsageError):
        book.put("sync", "a\0", 1)

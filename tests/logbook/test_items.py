"""What attachments and events belong to."""

from __future__ import annotations

from custody.logbook.book import Logbook


def test_an_item_is_there_once(book: Logbook) -> None:
    first = book.add_item("run", "one", "Do it", {"status": "PASS"})
    assert book.add_item("run", "one", "Another title") == first
    second = book.add_item("review", "one")
    assert (first.title, second.title) == ("Do it", "one")
    assert book.item(first.item_id) == first
    assert book.item(999) is None
    assert book.items() == [first, second]
    assert book.items(after=first.item_id, limit=1) == [second]

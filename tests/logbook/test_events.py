"""Events are only added, and what was done to the chain is found at the first place."""

from __future__ import annotations

import pytest

from custody.errors import LogbookFailed
from custody.logbook import Transaction
from custody.logbook.book import Logbook
from custody.logbook.events import GENESIS
from support.alone import start_alone
from support.telling import tell

ADD = """
import sys
from custody.logbook.book import Logbook
from support.telling import tell
with Logbook.open(sys.argv[1]) as book:
    for number in range(20):
        tell(book, "counted", {"number": number})
"""
WITHOUT_TRIGGERS = {
    "sqlite": ("DROP TRIGGER logbook_events_update", "DROP TRIGGER logbook_events_delete"),
    "postgresql": ("ALTER TABLE logbook.events DISABLE TRIGGER ALL",),
}


@pytest.fixture
def told(book: Logbook) -> Logbook:
    for number in range(1, 6):
        assert tell(book, "counted", {"number": number, "odd": "\0\ud7ff"}) == number
    return book


def forge(book: Logbook, *statements: str) -> None:
    """Do what somebody with the rights of an owner can."""
    with book.database.writing() as transaction:
        for statement in (*WITHOUT_TRIGGERS[transaction.dialect], *statements):
            transaction.run(statement)


def test_a_chain_holds(told: Logbook) -> None:
    chain = told.verify_events()
    assert (chain.events, chain.broken_at) == (5, 0)
    events = told.events(after=3)
    assert [event.seq for event in events] == [4, 5]
    assert events[1].prev == events[0].sha256
    assert chain.head == events[1].sha256
    assert events[0].data == {"number": 4, "odd": "\0\ud7ff"}


def test_a_chain_without_events_holds(book: Logbook) -> None:
    assert book.verify_events(head=GENESIS).events == 0


@pytest.mark.parametrize(
    "change",
    ["UPDATE logbook.events SET kind = 'x'", "DELETE FROM logbook.events"],
)
def test_events_are_only_added(told: Logbook, change: str) -> None:
    with pytest.raises(LogbookFailed, match="events are only added"):
        told.database.repeat(lambda it: it.run(change))
    assert told.verify_events().events == 5


@pytest.mark.parametrize(
    ("forgery", "broken_at", "what"),
    [
        ("UPDATE logbook.events SET kind = 'x' WHERE seq = 3", 3, "event 3 was changed"),
        ("UPDATE logbook.events SET data_json = '{}' WHERE seq = 1", 1, "event 1 was changed"),
        ("UPDATE logbook.events SET ts = '' WHERE seq = 5", 5, "event 5 was changed"),
        ("DELETE FROM logbook.events WHERE seq = 2", 2, "event 2 is missing"),
        ("DELETE FROM logbook.events WHERE seq < 3", 1, "event 1 is missing"),
        ("UPDATE logbook.events SET seq = 0 WHERE seq = 1", 1, "event 1 is missing"),
    ],
)
def test_the_first_break_is_named(told: Logbook, forgery: str, broken_at: int, what: str) -> None:
    forge(told, forgery)
    chain = told.verify_events()
    assert (chain.events, chain.broken_at) == (broken_at - 1, broken_at)
    assert what in chain.what


def test_a_forger_who_hashes_again_is_found_by_the_next_event(told: Logbook) -> None:
    def rewrite(transaction: Transaction) -> None:
        from custody.logbook.events import _sha256

        [row] = transaction.run(
            "SELECT seq, ts, kind, item_id, data_json, prev FROM logbook.events WHERE seq = 2"
        )
        forged = (*row[:4], '{"number":7}', row[5])
        transaction.run(
            "UPDATE logbook.events SET data_json = ?, sha256 = ? WHERE seq = 2",
            forged[4],
            _sha256(forged),
        )

    forge(told)
    told.database.repeat(rewrite)
    chain = told.verify_events()
    assert chain.broken_at == 3
    assert "does not hold the hash" in chain.what


def test_a_cut_end_is_found_by_whoever_kept_the_head(told: Logbook) -> None:
    head, middle = told.verify_events().head, told.events()[2].sha256
    forge(told, "DELETE FROM logbook.events WHERE seq = 5")
    assert told.verify_events().broken_at == 0, "the chain alone cannot show it"
    assert told.verify_events(head=middle).broken_at == 0
    cut = told.verify_events(head=head)
    assert (cut.broken_at, head in cut.what) == (5, True)


def test_several_processes_make_one_chain(book: Logbook, url: str) -> None:
    started = [start_alone(ADD, url) for _ in range(2)]
    assert [process.communicate() for process in started] == [("", ""), ("", "")]
    assert [process.returncode for process in started] == [0, 0]
    assert book.verify_events().events == 40


def test_an_event_may_belong_to_an_item(book: Logbook) -> None:
    item = book.add_item("run", "one")
    tell(book, "ended", {}, item_id=item.item_id)
    assert book.events()[0].item_id == item.item_id
    with pytest.raises(LogbookFailed):
        tell(book, "ended", {}, item_id=99)

"""Patches and attachments: pointers, there once, read on from where one stopped."""

from __future__ import annotations

import threading

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import CustodyError, LogbookFailed, UriRefused, UsageError
from custody.evidence import Pointers
from custody.evidence.uri import PatchBlobUri, parse
from custody.logbook import pointers
from custody.logbook.artifacts import key_of
from custody.logbook.book import Logbook
from custody.logbook.records import Cursor, NewAttachment, NewPatch


def patch(number: int, source_id: str = "") -> NewPatch:
    data = f"patch {number}".encode()
    key = key_of(data)
    return NewPatch(
        source_type="git",
        source_id=source_id or f"1:{number:040x}",
        uri=key,
        sha256=key[3:],
        size_bytes=len(data),
    )


def attachment(item_id: int, number: int) -> NewAttachment:
    key = key_of(f"attachment {number}".encode())
    return NewAttachment(
        item_id=item_id, kind="file", uri=key, sha256=key[3:], size_bytes=12, meta={"name": "a.txt"}
    )


@pytest.mark.req("E-05")
def test_a_patch_is_there_once_and_found_by_all_three(book: Logbook) -> None:
    one, other = patch(1), patch(1, "2:abc")
    assert book.add_patches([one, other, one]) == 2
    assert book.add_patches([one, patch(2)]) == 1
    assert [found.blob_id for found in book.patches(limit=2)] == [1, 2]
    found = book.patch_blob("git", "2:abc", one.sha256)
    assert found is not None
    assert (found.uri, found.sha256) == (one.uri, one.sha256)
    assert book.patch_blob("svn", "2:abc", one.sha256) is None
    assert book.patch_blob("git", "2:abc", patch(2).sha256) is None


def test_its_uri_leads_back_to_it(book: Logbook) -> None:
    book.add_patches([patch(1, "1:a/b#c?d %41")])
    [stored] = book.patches()
    read = parse(stored.evidence_uri)
    assert isinstance(read, PatchBlobUri)
    assert book.patch_blob(read.source_type, read.source_id, read.sha256) is not None


def test_an_attachment_is_there_once_and_keeps_its_id(book: Logbook) -> None:
    item = book.add_item("files", "mine")
    first = book.add_attachment(attachment(item.item_id, 1))
    assert book.add_attachment(attachment(item.item_id, 1)) == first
    second = book.add_attachment(attachment(item.item_id, 2))
    other = book.add_attachment(msgspec.structs.replace(attachment(item.item_id, 1), kind="log"))
    assert book.attachments(after=first.attachment_id) == [second, other]
    found = book.attachment(first.attachment_id)
    assert found is not None
    assert found.sha256 == first.sha256
    assert book.attachment(99) is None
    told = [event.data["attachment_id"] for event in book.events()]
    assert told == [first.attachment_id, second.attachment_id, other.attachment_id]


def test_a_logbook_is_what_resolvers_ask(book: Logbook) -> None:
    asked: Pointers = book
    assert asked.attachment(1) is None


@pytest.mark.req("E-05")
@pytest.mark.parametrize(
    "uri",
    [
        "diff --git a/a b/a\n+evidence",
        "data:text/plain,evidence",
        "http://server/a",
        "https://server/a",
        "../ab/" + "a" * 64,
        "ab/" + "a" * 64,
        "memory://attachments/1/" + "a" * 64,
        "",
    ],
)
def test_what_is_no_place_is_refused(book: Logbook, uri: str) -> None:
    with pytest.raises((UsageError, UriRefused)):
        book.add_patches([msgspec.structs.replace(patch(1), uri=uri)])
    assert book.patches() == []


@given(st.text(max_size=80))
def test_no_text_is_a_place_by_chance(text: str) -> None:
    try:
        kept = pointers._place(text)
    except CustodyError:
        return
    assert kept.startswith("file:///")


@pytest.mark.parametrize(
    "wrong",
    [{"sha256": "A" * 64}, {"source_id": ""}, {"source_id": "a\nb"}, {"source_type": "GIT"}],
)
def test_a_wrong_part_is_refused_and_nothing_is_added(book: Logbook, wrong: dict[str, str]) -> None:
    with pytest.raises((UsageError, UriRefused)):
        book.add_patches([patch(1), msgspec.structs.replace(patch(2), **wrong)])
    assert book.patches() == []


def test_an_attachment_needs_its_item(book: Logbook) -> None:
    with pytest.raises(LogbookFailed) as caught:
        book.add_attachment(attachment(5, 1))
    assert caught.value.code == "constraint"


@pytest.mark.req("E-10")
@pytest.mark.parametrize("page", [1, 2, 100])
def test_every_pointer_is_read_once_wherever_one_stopped(book: Logbook, page: int) -> None:
    item = book.add_item("files", "mine")
    book.add_patches([patch(1), patch(2), patch(3)])
    book.add_attachment(attachment(item.item_id, 1))
    seen = list(book.pointers(page=page))
    assert [one.kind for one in seen] == ["patch"] * 3 + ["attachment"]
    assert seen[-1].source_id == "1"
    assert all(one.evidence_uri == parse(one.evidence_uri).text for one in seen)
    for number, one in enumerate(seen, 1):
        assert list(book.pointers(one.cursor, page=page)) == seen[number:]
    book.add_patches([patch(4)])
    book.add_attachment(attachment(item.item_id, 2))
    new = list(book.pointers(seen[-1].cursor, page=page))
    assert [one.evidence_uri for one in new] == [
        book.patches()[-1].evidence_uri,
        book.attachments()[-1].evidence_uri,
    ]
    assert new[-1].cursor == Cursor(blob_id=4, attachment_id=2)


def test_a_lower_id_never_shows_after_a_higher_one(book: Logbook) -> None:
    """Somebody adds a patch, and before he commits another one wants to."""
    begun, done = threading.Event(), threading.Event()

    def add() -> None:
        begun.set()
        book.add_patches([patch(2)])
        done.set()

    other = threading.Thread(target=add)
    with book.database.writing() as transaction:
        pointers.add_patches(transaction, [patch(1)])
        other.start()
        assert begun.wait(60)
        assert not done.wait(0.05)
    other.join(60)
    assert done.is_set()
    assert [one.source_id for one in book.pointers()] == [patch(1).source_id, patch(2).source_id]

"""Recorded answers: which one a call gets, and what a file edit means."""

from __future__ import annotations

import pytest

from custody.errors import MalformedDocument
from custody.model.answer import AnswerBook, FileEdit, RecordedAnswer
from custody.model.record import decode, encode


def answers(*texts: str) -> tuple[RecordedAnswer, ...]:
    return tuple(RecordedAnswer(text=text) for text in texts)


BOOK = AnswerBook(
    answers=answers("any 1", "any 2"),
    nodes={
        "draft": answers("draft 1"),
        "tasks.*.draft": answers("item 1", "item 2"),
        "tasks.2.draft": answers("second item"),
    },
)


@pytest.mark.parametrize(
    ("stage", "call", "text"),
    [
        ("review", 1, "any 1"),
        ("review", 2, "any 2"),
        ("review", 9, "any 2"),
        ("draft", 1, "draft 1"),
        ("draft", 3, "draft 1"),
        ("tasks.1.draft", 1, "item 1"),
        ("tasks.13.draft", 2, "item 2"),
        ("tasks.2.draft", 1, "second item"),
        ("tasks.0.draft", 1, "any 1"),
    ],
)
def test_the_answer_to_a_call(stage: str, call: int, text: str) -> None:
    found = BOOK.answer_to(stage, call)
    assert found is not None
    assert found.text == text


def test_a_stage_that_nobody_answers_for() -> None:
    assert AnswerBook(nodes={"draft": answers("x")}).answer_to("review", 1) is None


def test_a_book_without_answers_is_refused() -> None:
    with pytest.raises(MalformedDocument, match="neither answers nor nodes"):
        decode(b"{}", AnswerBook, where="answers.json")


@pytest.mark.parametrize(
    ("edit", "deletes", "data"),
    [
        (FileEdit(path="a"), True, b""),
        (FileEdit(path="a", content=""), False, b""),
        (FileEdit(path="a", content="é"), False, "é".encode()),
        (FileEdit(path="a", data=b"\xff"), False, b"\xff"),
        (FileEdit(path="a", symlink="b"), False, b""),
    ],
)
def test_what_an_edit_does(edit: FileEdit, deletes: bool, data: bytes) -> None:
    assert (edit.deletes, edit.encoded()) == (deletes, data)
    assert decode(encode(edit), FileEdit, where="") == edit


def test_half_a_surrogate_pair_cannot_be_written() -> None:
    with pytest.raises(UnicodeEncodeError):
        FileEdit(path="a", content="\ud800").encoded()

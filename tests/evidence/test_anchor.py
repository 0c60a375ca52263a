"""An anchor is two lines, and nothing that only looks like them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rfc3161_client import decode_timestamp_response

from custody.errors import CustodyError, MalformedDocument
from custody.evidence.anchor import Anchor, read_anchor, refuse_other_stamp, stamp_request

HEAD = "a" * 64


def test_it_comes_back() -> None:
    anchor = Anchor("r1", HEAD)
    assert read_anchor(anchor.text, where="t") == anchor
    assert anchor.text == f"custody run r1\njournal head {HEAD}\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"custody run r1\njournal head {HEAD}",
        f"custody run r1\njournal head {HEAD}\nand more\n",
        f"custody run r1\njournal head {HEAD.upper()}\n",
        f"custody run r1\njournal head {HEAD[1:]}\n",
        f"custody run \njournal head {HEAD}\n",
        f" custody run r1\njournal head {HEAD}\n",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    with pytest.raises(MalformedDocument, match="no anchor"):
        read_anchor(text, where="t")


def test_a_question_is_no_answer() -> None:
    question = stamp_request(Anchor("r1", HEAD))
    assert len(question) < 200
    with pytest.raises(ValueError, match="ASN"):
        decode_timestamp_response(question)
    with pytest.raises(MalformedDocument, match="no time stamp"):
        refuse_other_stamp(question, Anchor("r1", HEAD), where="t")


@given(st.binary(max_size=100))
def test_any_bytes_are_refused_and_break_nothing(data: bytes) -> None:
    with pytest.raises(CustodyError):
        refuse_other_stamp(data, Anchor("r1", HEAD), where="t")

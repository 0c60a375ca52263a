"""One encoding of a record, and a strict reading of it."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import MalformedDocument
from custody.model.record import (
    NESTING_LIMIT,
    SCHEMA_VERSION,
    Document,
    Record,
    decode,
    encode,
    encode_pretty,
    is_too_deep,
)


class Sample(Record, frozen=True):
    """A record."""

    name: str
    count: int = 0
    more: dict[str, Any] = {}


class Paper(Document, frozen=True, kw_only=True):
    """A record that is a file."""

    name: str


texts = st.text(st.characters(exclude_categories=["Cs"]))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(texts, st.integers(-(2**53), 2**53), st.dictionaries(texts, json_values, max_size=3))
def test_what_was_written_is_read_back(name: str, count: int, more: dict[str, Any]) -> None:
    sample = Sample(name=name, count=count, more=more)
    assert decode(encode(sample), Sample, where="") == sample
    assert decode(encode_pretty(sample), Sample, where="") == sample
    assert encode(sample) == encode(decode(encode(sample), Sample, where=""))


def test_there_is_one_encoding() -> None:
    assert encode(Sample(name="é", count=1)) == '{"name":"é","count":1,"more":{}}'.encode()
    assert encode({"price": Decimal("1.10")}) == b'{"price":1.10}'
    assert encode_pretty(Sample(name="x")).endswith(b"\n}\n")


def test_a_file_says_which_version_it_has() -> None:
    assert encode(Paper(name="x")).startswith(b'{"schema_version":"%s"' % SCHEMA_VERSION.encode())


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xff", "encoding"),
        (b'{"name":"\xff"}', "encoding"),
        (b"\xef\xbb\xbf{}", "json"),
        (b"", "json"),
        (b"{", "json"),
        (b'{"name":"x"} x', "json"),
        (b'{"name":NaN}', "json"),
        (b'{"name":"x","more":{"n":Infinity}}', "json"),
        (b"[" * 100_000, "json"),
        (b'{"name":"x","name":"y"}', "duplicate_key"),
        (b'{"name":"x","more":{"a":{"b":1,"b":2}}}', "duplicate_key"),
        (b'{"name":1}', "type"),
        (b'{"name":"x","unknown":1}', "type"),
        (b'{"count":1}', "type"),
        (b'{"name":"x","count":"1"}', "type"),
        (b"[]", "type"),
        (b'{"name":"\\ud800"}', "json"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(data: bytes, code: str) -> None:
    with pytest.raises(MalformedDocument) as refused:
        decode(data, Sample, where="sample.json")
    assert (refused.value.code, refused.value.where) == (code, "sample.json")


def test_a_text_that_a_guard_will_judge_may_hold_anything() -> None:
    found = decode(b'{"name":"\\ud800"}', Sample, where="", any_text=True)
    assert found.name == "\ud800"


@pytest.mark.req("G-19")
@pytest.mark.parametrize(("opened", "closed"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
@pytest.mark.parametrize("inmost", [b"1", b"[]", b"{}"])
def test_every_python_reads_as_deep(opened: bytes, closed: bytes, inmost: bytes) -> None:
    """Whatever the interpreter could read: 3.11 gives up at 1,000, 3.14 at many thousands."""
    pairs = opened.count(b"[") + opened.count(b"{")
    most = (NESTING_LIMIT - (inmost != b"1")) // pairs
    assert decode(opened * most + inmost + closed * most, Any, where="") is not None
    for deeper in (most + 1, 5_000, 100_000):
        data = opened * deeper + inmost + closed * deeper
        with pytest.raises(
            MalformedDocument, match=f"recursion depth of {NESTING_LIMIT}"
        ) as caught:
            decode(data, Any, where="")
        assert caught.value.code == "json"


@given(json_values)
def test_what_is_wide_is_not_deep(value: Any) -> None:
    wide = [value] * NESTING_LIMIT * 2
    assert not is_too_deep(wide)
    assert decode(encode(wide), list[Any], where="") == wide


AT_ONCE = """
import sys, threading
import msgspec
from custody.model.record import Record, decode

def made(number):
    names = {"bases": (Record,), "frozen": True, "kw_only": True}
    inner = msgspec.defstruct(f"Inner{number}", [("a", "int | str")], **names)
    fields = [(f"x{place}", "tuple[int, ...]", ()) for place in range(10)]
    return msgspec.defstruct(f"Outer{number}", [*fields, ("inner", inner)], **names)

def read():
    together.wait()
    decode(b'{"inner": {"a": 1}}', kind, where="")

sys.setswitchinterval(1e-6)
for number in range(200):
    kind, together = made(number), threading.Barrier(5)
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    together.wait()
    for thread in threads:
        thread.join()
"""
WHILE_ONE_LEARNS = """
from __future__ import annotations
import os, signal, sys, threading, time
from custody.model.record import Record, ready

def slow():
    begun.set()
    time.sleep(0.3)
    return int

class Slow(Record, frozen=True):
    a: slow()

class Other(Record, frozen=True):
    a: int

begun = threading.Event()
learning = threading.Thread(target=ready, args=(Slow,))
learning.start()
begun.wait()
if not (child := os.fork()):
    signal.alarm(5)
    ready(Other)
    os._exit(0)
learning.join()
sys.exit(os.waitpid(child, 0)[1])
"""


@pytest.mark.parametrize("script", [AT_ONCE, WHILE_ONE_LEARNS], ids=["threads", "a fork"])
def test_a_kind_is_learnt_once_whoever_asks_meanwhile(script: str) -> None:
    # Python 3.12 and newer warn of a fork beside threads, which is what is tried.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from custody.errors import MalformedDocument
from custody.model.change import Entry
from custody.workspace.tree import change_between, listing, read_listing, tree_of

entries = st.builds(
    Entry,
    path=st.text(min_size=1, max_size=20),
    kind=st.sampled_from(["file", "symlink", "dir"]),
    mode=st.integers(0, 0o7777),
    sha256=st.text("0123456789abcdef", max_size=64),
    bytes=st.integers(0, 1 << 40),
    target=st.text(max_size=10),
)


@settings(deadline=None)
@given(st.lists(entries, unique_by=lambda entry: entry.path))
def test_a_listing_reads_back_whatever_the_order(some: list[Entry]) -> None:
    data = listing(some)
    assert data == listing(reversed(some))
    assert data.count(b"\n") == len(some)
    read = read_listing(data, where="x")
    assert read == {entry.path: entry for entry in some}
    assert list(read) == sorted(read)
    tree = tree_of(read, data, ("a",))
    assert tree.sha256 == hashlib.sha256(data).hexdigest()
    assert tree.entries == len(some)
    assert tree.bytes == sum(entry.bytes for entry in some)
    assert tree.omitted == ("a",)


@pytest.mark.parametrize("data", [b"{}\n", b"\xff\n", b"[1]\n", b'{"path":"a"}\n'])
def test_a_wrong_listing_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedDocument):
        read_listing(data, where="x")


FILE = Entry(path="a", kind="file", mode=0o644, sha256="1", bytes=1)
RUNNABLE = Entry(path="a", kind="file", mode=0o755, sha256="1", bytes=1)
OTHER = Entry(path="a", kind="file", mode=0o755, sha256="2", bytes=1)
LINK = Entry(path="a", kind="symlink", mode=0o644, sha256="1", bytes=1, target="b")


@pytest.mark.req("P-06")
@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (None, FILE, "added"),
        (FILE, None, "deleted"),
        (FILE, RUNNABLE, "mode"),
        (FILE, OTHER, "modified"),
        (FILE, LINK, "modified"),
    ],
)
def test_a_change_has_a_kind(before: Entry | None, after: Entry | None, kind: str) -> None:
    change = change_between(before, after)
    assert change is not None
    assert (change.path, change.change, change.before, change.after) == ("a", kind, before, after)


def test_the_same_is_no_change() -> None:
    assert change_between(FILE, FILE) is None
    assert change_between(None, None) is None

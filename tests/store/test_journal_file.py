from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import JournalBroken
from custody.model.layout import EVENTS
from custody.store.journal_file import chunks, end_of_whole_lines, open_journal, placed, where
from custody.store.root import Root


@contextmanager
def journal(folder: Path, data: bytes) -> Iterator[int]:
    (folder / EVENTS).write_bytes(data)
    with Root.open(str(folder)) as root:
        descriptor = open_journal(root)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


@given(st.binary(max_size=100), st.integers(0, 100), st.integers(0, 100))
def test_a_piece_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, start: int, end: int
) -> None:
    with journal(tmp_path_factory.mktemp("journal"), data) as descriptor:
        assert b"".join(chunks(descriptor, end, start)) == data[start : max(start, end)]


LONG = b"x" * 10_000


@pytest.mark.parametrize(
    ("data", "end", "holes"),
    [
        (b"", 0, False),
        (b"torn", 0, False),
        (b"one\n", 4, False),
        (b"one\ntorn", 4, False),
        (b"one\nt\0o\n", 4, True),
        (b"one\n\0\n\0\ntorn", 4, True),
        (b"\0\n", 0, True),
        (b"o\0e\ntwo\n", 8, False),
        (LONG + b"\n" + LONG, 10_001, False),
        (LONG + b"\n" + LONG + b"\0\n" + LONG, 10_001, True),
    ],
)
def test_where_whole_lines_end(tmp_path: Path, data: bytes, end: int, *, holes: bool) -> None:
    with journal(tmp_path, data) as descriptor:
        assert end_of_whole_lines(descriptor) == (end, holes)


def test_only_a_plain_file_is_a_journal(tmp_path: Path) -> None:
    path = tmp_path / EVENTS
    with Root.open(str(tmp_path)) as root:
        refuse(root, "missing")
        path.symlink_to("/etc/passwd")
        refuse(root, "symlink")
        path.unlink()
        os.mkfifo(path)
        refuse(root, "not_regular")


def refuse(root: Root, code: str) -> None:
    with pytest.raises(JournalBroken) as broken:
        open_journal(root)
    assert (broken.value.code, broken.value.where) == (code, where(root))


def test_a_fault_has_its_place(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        assert placed(JournalBroken("json", "no", line=3), root).where == f"{tmp_path}/{EVENTS}:3"
        assert placed(JournalBroken("empty", "no"), root).where == f"{tmp_path}/{EVENTS}"

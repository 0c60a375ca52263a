"""What a patch is made of."""

from __future__ import annotations

import pytest

from custody.patch import FileChange, Hunk

HUNK = Hunk(3, 10, (b" same\n", b"-old\n", b"+new\n", b"+more\n", b" end\n"))


def test_a_hunk_before_and_after() -> None:
    assert HUNK.before == [b"same\n", b"old\n", b"end\n"]
    assert HUNK.after == [b"same\n", b"new\n", b"more\n", b"end\n"]
    assert HUNK.added == 2


def test_a_hunk_without_context_at_its_end_closes_the_text() -> None:
    assert not HUNK.closes
    assert Hunk(1, 0, (b" a\n", b"+b\n")).closes
    assert Hunk(1, 0, (b"-a\n",)).closes


@pytest.mark.parametrize(
    ("change", "paths", "removes"),
    [
        (FileChange(1, "add", None, b"n"), (b"n",), None),
        (FileChange(1, "delete", b"o", None), (b"o",), b"o"),
        (FileChange(1, "modify", b"o", b"o"), (b"o",), None),
        (FileChange(1, "rename", b"o", b"n"), (b"o", b"n"), b"o"),
        (FileChange(1, "copy", b"o", b"n"), (b"o", b"n"), None),
    ],
)
def test_the_paths_of_a_change(
    change: FileChange, paths: tuple[bytes, ...], removes: bytes | None
) -> None:
    assert (change.paths, change.removes) == (paths, removes)

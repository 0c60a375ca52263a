from __future__ import annotations

from pathlib import Path

from custody.store.aside import set_aside
from custody.store.root import Root


def test_each_time_the_next_number_is_taken(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        for number in (1, 2, 3):
            root.write("docs/a.md", f"{number}".encode())
            assert set_aside(root, "docs/a.md") == f"docs/a.md.lost.{number}"
        assert root.names("docs") == ["a.md.lost.1", "a.md.lost.2", "a.md.lost.3"]
        assert root.read("docs/a.md.lost.2") == b"2"

"""Which files are documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import MalformedDocument
from custody.seek.documents import DOCUMENTS, documents

pytestmark = pytest.mark.req("E-06")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "README.md", "docs/a.md", "docs/b.rst", "docs/deep/c.txt", "src/a.py", "build/made.md",
        ".hidden/h.md", ".dot.md", "node_modules/x/README.md", "notes/n.md", "private/p.md",
    ):  # fmt: skip
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(name)
    (tmp_path / ".gitignore").write_text("# what nobody keeps\nnotes/\n")
    (tmp_path / ".custodyignore").write_text("/private\n")
    return tmp_path


def test_texts_that_are_not_ignored(folder: Path) -> None:
    expected = [".dot.md", "README.md", "docs/a.md", "docs/b.rst", "docs/deep/c.txt"]
    assert documents(str(folder), DOCUMENTS) == expected


def test_those_that_are_asked_for(folder: Path) -> None:
    assert documents(str(folder), ["docs/**/*.md", "*.py"]) == ["docs/a.md", "src/a.py"]
    assert documents(str(folder), ["docs/", "!docs/deep"]) == ["docs/a.md", "docs/b.rst"]
    assert documents(str(folder), []) == []


def test_a_link_to_a_folder_is_not_followed(folder: Path) -> None:
    (folder / "docs" / "up").symlink_to(folder)
    assert "docs/up/README.md" not in documents(str(folder), DOCUMENTS)


def test_what_is_no_pattern_is_refused(folder: Path) -> None:
    with pytest.raises(MalformedDocument):
        documents(str(folder), ["!"])


@pytest.mark.parametrize("data", [b"!\n", b"\xff"])
def test_an_ignore_file_that_cannot_be_read_ignores_nothing(folder: Path, data: bytes) -> None:
    (folder / ".gitignore").write_bytes(data)
    assert "notes/n.md" in documents(str(folder), DOCUMENTS)

"""Files that a text names: spelling, policy, and what is already there."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.checks.guards.paths import admit_write
from custody.errors import PathRefused
from custody.store.root import Root


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("../x", "traversal"),
        ("/etc/x", "absolute"),
        ("", "empty"),
        (".git/hooks/pre-commit", "denied"),
        (".bashrc", "denied"),
        (".env", "secret_file"),
        ("SRC/main.py", "case_collision"),
    ],
)
def test_refuses(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.py").write_text("")
    with Root.open(str(tmp_path)) as root, pytest.raises(PathRefused) as refused:
        admit_write(text, root)
    assert refused.value.code == code


def test_admits_an_ordinary_path(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        assert str(admit_write("src/main.py", root)) == "src/main.py"


def test_nothing_stands_below_what_will_be_gone(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "Name").write_text("")
    (tmp_path / "src").symlink_to("there")
    with Root.open(str(tmp_path)) as root:
        with pytest.raises(PathRefused):
            admit_write("src/name", root)
        assert str(admit_write("src/name", root, gone={"src"})) == "src/name"

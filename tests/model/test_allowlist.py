"""Entries of ``allowed_write_paths``: which are admitted and what they cover."""

from __future__ import annotations

import pytest

from custody.errors import PathRefused
from custody.model.allowlist import Allowlist


@pytest.mark.req("P-05")
@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("", "empty"),
        ("/", "absolute"),
        ("/etc/", "absolute"),
        ("..", "traversal"),
        ("../", "traversal"),
        ("src/../", "traversal"),
        (".", "too_broad"),
        ("./", "too_broad"),
        ("*", "glob"),
        ("src/*.py", "glob"),
        ("src/?/", "glob"),
        ("src/[ab].py", "glob"),
        ("src//", "noncanonical"),
        ("src/./a", "noncanonical"),
        ("~/", "tilde"),
        ("~", "tilde"),
    ],
)
def test_refuses_an_entry_with_a_stable_code(entry: str, code: str) -> None:
    with pytest.raises(PathRefused) as refused:
        Allowlist.parse(["ok.txt", entry])
    assert refused.value.code == code


@pytest.mark.req("P-05")
@pytest.mark.parametrize(
    ("entry", "path", "covered"),
    [
        ("src/", "src/a.py", True),
        ("src/", "src/deep/er/a.py", True),
        ("src/", "src", False),
        ("src/", "src2/a.py", False),
        ("SRC/", "src/a.py", False),
        ("src", "src", True),
        ("src", "src/x", False),
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "src/a.pyc", False),
        ("src/a.py", "SRC/a.py", False),
    ],
)
def test_covers_exact_files_and_directory_prefixes(entry: str, path: str, covered: bool) -> None:
    assert Allowlist.parse([entry]).covers(path) is covered


@pytest.mark.req("P-05")
def test_no_entry_covers_nothing() -> None:
    allowlist = Allowlist.parse([])
    assert not allowlist.covers("a")
    assert not allowlist.leads_to("a")


@pytest.mark.parametrize(
    ("directory", "leads"),
    [("a", True), ("a/b", True), ("a/b/c", False), ("d", True), ("d/e", True), ("d/e/f", False)],
)
def test_leads_to_directories_on_the_way(directory: str, leads: bool) -> None:
    assert Allowlist.parse(["a/b/c", "d/e/"]).leads_to(directory) is leads

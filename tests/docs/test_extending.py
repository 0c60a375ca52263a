"""What is new is one file: each addition that the page writes out works, and touches no other."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import codebase
import walkthrough
from support.copies import Copy

PAGE = codebase.ROOT / "docs" / "extending.md"
ROW = re.compile(
    r"^\| \[(.+?)\]\(docs/extending\.md#.+?\) \| `(src/.+?)` \| (.+?) \| (.+?) \|$", re.MULTILINE
)
FILES = {
    what: file for what, file, _, _ in ROW.findall((codebase.ROOT / "CONTRIBUTING.md").read_text())
}
"""The one file of each addition, as CONTRIBUTING lists them."""
HOUSE = (
    "test_facts.py::test_no_kind_is_overlooked",
    "test_layers.py::test_imports_go_one_way",
)
"""The rules that an addition is most likely to break."""


def sections() -> dict[str, str]:
    """Return the additions of the page, by their titles as a sentence has them."""
    _, *parts = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    return {part[0].lower() + part[1:].partition("\n")[0]: part for part in parts}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def programs(copy: Copy, tmp_path_factory: pytest.TempPathFactory) -> str:
    return copy.programs(tmp_path_factory.mktemp("programs") / "bin")


def touched(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """Yield the files that are new, gone or different."""
    yield from (path for path in before | after if before.get(path) != after.get(path))


def test_contributing_lists_what_the_page_writes_out() -> None:
    assert list(FILES) == list(sections())


@pytest.mark.parametrize("what", FILES)
def test_an_addition_is_one_file(what: str, copy: Copy, programs: str, tmp_path: Path) -> None:
    page = tmp_path / "section.md"
    page.write_text(sections()[what])
    before = copy.contents()
    wrong = walkthrough.follow(page, copy.folder, programs=programs)
    assert not wrong, "\n\n".join(wrong)
    assert list(touched(before, copy.contents())) == [FILES[what]]


def test_the_house_rules_hold_for_all_of_them(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    additions(copy)
    copy.take("pyproject.toml", "scripts", "tests/conftest.py", "tests/house", "tests/support")
    copy.take("docs/requirements.md")  # whose ids the marks are compared with
    tests = [f"tests/house/{name}" for name in HOUSE]
    done = copy("-q", "-p", "no:cacheprovider", *tests, program="pytest")
    assert done.returncode == 0, done.stdout + done.stderr
    for words in (["check", "--no-cache", "src"], ["format", "--no-cache", "--check", "src"]):
        ruled = copy(*words, program="ruff")
        assert ruled.returncode == 0, ruled.stdout + ruled.stderr


def additions(copy: Copy) -> None:
    """Write what the page writes, and run none of it."""
    for _, title, text in walkthrough.FENCE.findall(PAGE.read_text()):
        if title:
            (copy.folder / title).write_text(text)
    subprocess.run(["git", "apply", "event.diff"], cwd=copy.folder, check=True)

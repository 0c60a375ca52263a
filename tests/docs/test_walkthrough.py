"""What the tutorial and the how-to pages show is what happens."""

from __future__ import annotations

from pathlib import Path

import pytest

import walkthrough

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = [page for part in ("tutorial", "how-to") for page in sorted((DOCS / part).glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_is_true(page: Path, tmp_path: Path) -> None:
    wrong = walkthrough.follow(page, tmp_path)
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ([], "", True),
        ([], "something\n", False),
        (["one", "two"], "one\ntwo\n", True),
        (["run … done"], "run 42 done\n", True),
        (["run … done"], "run 42\ndone\n", False),
        (["first", "…", "last"], "first\na\nb\nlast\n", True),
        (["first", "…", "last"], "first\nlast\n", True),
        (["a.c"], "abc\n", False),
    ],
)
def test_what_is_shown_is_compared(shown: list[str], printed: str, same: bool) -> None:
    assert walkthrough.matches(shown, printed) is same


def test_a_wrong_page_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```text title=a.txt\nhello\n```\n\n```console\n$ cat a.txt\nhello\n$ false\n(exit 1)\n"
        "$ cat a.txt\nbye\n$ true\n(exit 3)\n```\n"
    )
    wrong = walkthrough.follow(page, tmp_path)
    assert [text.splitlines()[0] for text in wrong] == ["$ cat a.txt", "$ true"]

"""What the tutorial and the how-to pages show is what happens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import walkthrough

DOCS = Path(__file__).parent.parent.parent / "docs"
IN_ONE_SHELL = {"move-to-postgresql", "ten-minutes"}
"""Pages whose commands go on from each other; they have tests of their own."""
PAGES = [
    page
    for part in ("tutorial", "how-to")
    for page in sorted((DOCS / part).glob("*.md"))
    if page.stem not in IN_ONE_SHELL
]


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


@pytest.fixture
def here() -> dict[str, str]:
    return {"PATH": os.environ["PATH"]}


def test_in_one_shell_a_command_goes_on_from_the_one_before(
    tmp_path: Path, here: dict[str, str]
) -> None:
    page = (
        "```text title=a.txt\nhello\n```\n\n```console\n$ mkdir sub\n$ cd sub\n"
        "$ export A='one\n> two'\n$ cat\n$ echo \"$A\"\none\ntwo\n$ cat ../a.txt\nhello\n"
        "$ sleep 60 &\n$ kill $!\n$ false\n(exit 1)\n```\n"
    )
    assert walkthrough.in_one_shell(page, tmp_path, here) == []


@pytest.mark.parametrize(
    ("commands", "told"),
    [
        ("$ echo hello\nbye", "$ echo hello\nprinted:\nhello"),
        ("$ false", "$ false\nexit 1, not 0"),
        ("$ exit 3", "the shell ended"),
    ],
)
def test_in_one_shell_the_first_difference_is_told(
    tmp_path: Path, here: dict[str, str], commands: str, told: str
) -> None:
    page = f"```console\n$ true\n{commands}\n$ touch after\n```\n"
    (wrong,) = walkthrough.in_one_shell(page, tmp_path, here)
    assert told in wrong
    assert not (tmp_path / "after").exists()

"""``custody logbook``: each action takes what is its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.shell import Here


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "a", "--name", "x"), "add takes no --name"),
        (("sync-svn", "--revision", "1"), "sync-svn takes no --revision"),
        (("migrate", "now"), "migrate takes no 'now'"),
        (("copy", "--to-artifacts", "x"), "copy needs --to URL"),
        (("verify", "--limit", "1"), "verify takes no --limit"),
        (("explode",), "invalid choice"),
    ],
)
def test_what_an_action_does_not_take_is_told(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = Here(tmp_path)("logbook", *words, "--artifacts", "a", "--logbook", "b")
    assert done.code == 1
    assert said in done.err

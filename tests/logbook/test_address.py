"""Which database a url means, and what is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import UsageError
from custody.logbook.address import file_of, open_database


def test_a_file_is_named_by_its_path_or_by_a_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert file_of("a.sqlite") == f"{tmp_path}/a.sqlite"
    assert file_of("sqlite:///var/a.sqlite") == "/var/a.sqlite"
    assert file_of("postgresql://me@server/db") == ""


@pytest.mark.parametrize(
    "url",
    [
        "",
        " ",
        ":memory:",
        "a\nb",
        "mysql://x/y",
        "sqlite://a.sqlite",
        "http://x/",
        "sqlite://",
        "\0",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        open_database(url)


@given(st.text())
def test_any_text_is_a_path_a_server_or_refused(text: str) -> None:
    try:
        path = file_of(text)
    except UsageError:
        return
    assert not path or os.path.isabs(path)


def test_what_is_opened_is_of_its_kind(url: str) -> None:
    database = open_database(url)
    assert database.dialect == ("postgresql" if "://" in url else "sqlite")
    with database.reading() as transaction:
        found = transaction.run("SELECT CAST(? AS INTEGER), '100%' || ?", 1, "x")
    database.close()
    database.close()
    assert found == [(1, "100%x")]

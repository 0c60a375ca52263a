"""Which files hold secrets, by their names."""

from __future__ import annotations

import pytest

from custody.model.change import Entry
from custody.model.secret_files import is_secret, secret_files


@pytest.mark.req("U-14")
@pytest.mark.parametrize(
    "path",
    [".env", "a/.env.local", ".ENV", "x/server.pem", "id_rsa", ".netrc", ".npmrc", ".pypirc",
     ".aws/credentials", "service-account-7.json", "tls.key"],
)  # fmt: skip
def test_secrets(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize(
    "path",
    [".env.example", ".env.template", "env", "environment.py", "id_rsa.pub", "pem", "keys.py",
     "credentials.py", "a.pem/x.txt", "monkey"],
)  # fmt: skip
def test_no_secrets(path: str) -> None:
    assert not is_secret(path)


def test_what_is_named_is_shown() -> None:
    entries = {
        path: Entry(path=path, kind=kind, mode=0o644)  # type: ignore[arg-type]
        for path, kind in (
            (".env", "file"), ("a", "dir"), ("a/x.pem", "file"), ("b.pem", "symlink"),
            ("venv/.env", "dir"), ("app.py", "file"),
        )
    }  # fmt: skip
    assert [*secret_files(entries)] == [".env", "a/x.pem", "b.pem"]
    assert [*secret_files(entries, (".env", "a/"))] == ["b.pem"]
    assert [*secret_files(entries, ("x.pem", "b.pem"))] == [".env"]

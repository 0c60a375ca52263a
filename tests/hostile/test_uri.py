"""Uris that lead somewhere else than to evidence, from the command line to the bytes."""

from __future__ import annotations

import pytest

from custody.evidence.uri import parse
from support.hostile import Case, Ground, cases, custody, known

CODES = {
    "malformed": "E_MALFORMED",
    "id": "E_INVALID_ID",
    "sha256": "E_INVALID_SHA256",
    "traversal": "E_TRAVERSAL",
    "scheme": "E_SCHEME",
    "outside": "E_OUTSIDE",
}
CONFIGURATION = """
[evidence]
docs_root = "{home}/docs"
file_roots = ["{home}/docs"]
git = {{repo = "{home}/docs"}}
svn = {{host = "file://{home}/docs"}}
https = {{servers = ["example.com", "169.254.169.254", "127.0.0.1", "localhost"]}}
"""
"""Allows as much as a user may: what is refused then, no configuration allows."""


@pytest.fixture
def configured(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """Return a ground with a user's configuration."""
    (ground.home / "docs").mkdir()
    (ground.home / "secret.md").write_text("secret")
    file = ground.home / "config" / "custody" / "custody.toml"
    file.parent.mkdir(parents=True)
    file.write_text(CONFIGURATION.format(home=ground.home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(ground.home / "config"))
    monkeypatch.chdir(ground.home)
    return ground


@pytest.mark.req("E-02", "E-03", "E-07")
@pytest.mark.parametrize("case", cases("uri"), ids=str)
def test_uri(case: Case, configured: Ground) -> None:
    before = configured.surroundings()
    read = custody("evidence", "parse", case.input, "--json")
    if case.kind == "accept":
        assert read.code == 0
        assert parse(case.input).text == read.data["uri"] == case.input
        return
    done = custody("evidence", "resolve", case.input, "--json")
    assert (case.kind, done.code) == ("reject", 1)
    assert "root:" not in done.out
    assert "secret" not in done.out.replace(case.input, "")
    if read.code == 0:
        refused_there(case, done.data)
    else:
        assert done.data["code"] == read.data["code"] == known(CODES, case.code, case)
    assert configured.surroundings() == before


def refused_there(case: Case, told: dict[str, str]) -> None:
    """A uri that can be read is refused where it leads to."""
    assert (told["error_type"], told["code"]) == ("RESOLVE_FAILED", "refused")
    why = {"outside": "below none of the folders", "address": "(private_address)"}
    assert known(why, case.code, case) in told["what"]

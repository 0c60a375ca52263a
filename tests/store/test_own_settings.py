from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import MalformedDocument
from custody.model.own_settings import McpServer, OwnAgent, OwnEvidence, OwnHttps, OwnWeb
from custody.store.own_settings import own_settings, user_file

WHOLE = """
agent = "codex"
toolchains = ["/opt/foo"]

[agents.codex]
login = true

[agents.codex.mcp.notes]
command = ["python3", "/srv/notes.py"]
env = ["NOTES_KEY"]
"""


def written(folder: Path, text: str) -> dict[str, str]:
    """Write a user's file, and return the environment that finds it."""
    environment = {"XDG_CONFIG_HOME": str(folder)}
    file = Path(user_file(environment))
    file.parent.mkdir()
    file.write_text(text)
    return environment


@pytest.mark.req("U-08", "U-15")
def test_the_user_names_toolchains_and_how_agents_are_used(tmp_path: Path) -> None:
    found = own_settings(written(tmp_path, WHOLE))
    assert found.toolchains == ("/opt/foo",)
    notes = McpServer(command=("python3", "/srv/notes.py"), env=("NOTES_KEY",))
    assert found.agents == {"codex": OwnAgent(login=True, mcp={"notes": notes})}


def test_the_environment_comes_first(tmp_path: Path) -> None:
    environment = written(tmp_path, WHOLE) | {"CUSTODY_TOOLCHAINS": "/opt/a:/opt/b"}
    assert own_settings(environment).toolchains == ("/opt/a", "/opt/b")


@pytest.mark.req("C-11", "G-07")
def test_the_user_names_a_search(tmp_path: Path) -> None:
    search = "https://a.example/?q={query}"
    environment = written(tmp_path, f'[web]\nsearch = "{search}"\nprivate = ["wiki:443"]\n')
    assert own_settings(environment).web == OwnWeb(search=search, private=("wiki:443",))
    environment["CUSTODY_WEB_SEARCH"] = "https://b.example/"
    assert own_settings(environment).web == OwnWeb(
        search="https://b.example/", private=("wiki:443",)
    )


def test_without_a_file_nothing_is_allowed(tmp_path: Path) -> None:
    found = own_settings({"HOME": str(tmp_path)})
    assert (found.toolchains, found.agents) == ((), {})
    assert user_file({"HOME": "/h"}) == "/h/.config/custody/custody.toml"


@pytest.mark.parametrize(
    "text",
    ["toolchains = 3", "[agents.codex]\nlogin = 'yes'", "[agents.codex]\nlogn = true", "x ="],
)
def test_a_wrong_file_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(MalformedDocument):
        own_settings(written(tmp_path, text))


EVIDENCE = """
[evidence]
docs_root = "/srv/docs"
file_roots = ["/srv/a", "/srv/b"]

[evidence.git]
main = "/srv/main"

[evidence.svn]
"svn.example:3690" = "svn://svn.example/repo"

[evidence.https]
servers = ["files.example"]
private = ["files.example:443"]
ca_file = "/srv/ca.pem"

[evidence.https.tokens]
"files.example" = "FILES_TOKEN"
"""


@pytest.mark.req("E-06", "E-07", "G-07")
def test_the_user_says_where_evidence_may_be(tmp_path: Path) -> None:
    environment = written(tmp_path, EVIDENCE)
    found = own_settings(environment).evidence
    assert found == OwnEvidence(
        docs_root="/srv/docs",
        file_roots=("/srv/a", "/srv/b"),
        git={"main": "/srv/main"},
        svn={"svn.example:3690": "svn://svn.example/repo"},
        https=OwnHttps(
            servers=("files.example",),
            private=("files.example:443",),
            ca_file="/srv/ca.pem",
            tokens={"files.example": "FILES_TOKEN"},
        ),
    )
    environment["CUSTODY_DOCS_ROOT"] = str(tmp_path)
    assert own_settings(environment).evidence.docs_root == str(tmp_path)


@pytest.mark.req("G-07")
@pytest.mark.parametrize(
    "text",
    [
        'docs_root = "docs"',
        'file_roots = ["."]',
        'git = {main = "../x"}',
        'https = {ca_file = "ca.pem"}',
        'file_roots = "/srv"',
        "https = {token = 1}",
    ],
)
def test_a_place_that_depends_on_where_one_is_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(MalformedDocument):
        own_settings(written(tmp_path, f"[evidence]\n{text}\n"))

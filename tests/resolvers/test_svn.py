"""Files of revisions of a real Subversion repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from custody.errors import ResolveFailed
from custody.evidence import Content
from custody.evidence.uri import SvnUri, build_svn_uri, parse
from custody.resolvers.svn import read_revision
from support.programs import needs

pytestmark = [needs("svn"), needs("svnadmin")]
ODD = ("aux.c", "a:b", "-x", "~x", "x ", "@", "x@HEAD", "100%25")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("svn")
    source = folder / "source" / "trunk"
    source.mkdir(parents=True)
    (source / "a.c").write_bytes(b"one\n\xff")
    for name in ("at@2 b#é.c", *ODD):
        (source / name).write_text("odd\n")
    url = f"file://{folder}/repository"
    run("svnadmin", "create", folder / "repository")
    run("svn", "import", "-q", "-m", "first", folder / "source", url)
    run("svn", "checkout", "-q", url, folder / "copy")
    (folder / "copy" / "trunk" / "a.c").write_text("two\n")
    run("svn", "commit", "-q", "-m", "second", folder / "copy")
    return url


def run(*command: str | Path) -> None:
    variables = {**os.environ, "LC_ALL": "C.UTF-8"}
    subprocess.run(command, check=True, capture_output=True, env=variables)


def read(address: str, target: str) -> Content:
    uri = parse(f"svn://old/{target}")
    assert isinstance(uri, SvnUri)
    return read_revision({"old": address}, uri, os.environ)


def failed(address: str, target: str) -> ResolveFailed:
    with pytest.raises(ResolveFailed) as raised:
        read(address, target)
    return raised.value


@pytest.mark.req("E-07")
def test_a_file_is_as_the_revision_has_it(address: str) -> None:
    assert read(address, "trunk/a.c@1") == Content.of(b"one\n\xff")
    assert read(address, "trunk/a.c@2") == Content.of(b"two\n")
    assert read(f"{address}/trunk/", "a.c@2").data == b"two\n"
    assert read(address, "trunk/at@2%20b%23%C3%A9.c@1").data == b"odd\n"


@pytest.mark.req("E-07")
@pytest.mark.parametrize("name", ODD)
def test_a_name_that_no_new_file_should_have_is_found(address: str, name: str) -> None:
    uri = parse(build_svn_uri("old", f"trunk/{name}", 1))
    assert isinstance(uri, SvnUri)
    assert read_revision({"old": address}, uri, os.environ).data == b"odd\n"


@pytest.mark.req("E-07")
@pytest.mark.parametrize("target", ["trunk/none.c@2", "trunk/a.c@99", "trunk@2", "trunk/a.c@0"])
def test_what_is_not_there_is_gone(address: str, target: str) -> None:
    assert failed(address, target).code == "gone"


@pytest.mark.parametrize("elsewhere", ["file:///no/repository", "svn://127.0.0.1:1/x"])
def test_no_repository_is_unreachable(elsewhere: str) -> None:
    assert failed(elsewhere, "a@1").code == "unreachable"


@pytest.mark.parametrize(
    "odd", ["--config-dir=x", "http://a/b", "/srv/x", "svn+x://a/b", "svn://a b", ""]
)
def test_what_is_no_address_is_refused(odd: str) -> None:
    assert failed(odd, "a@1").code == "refused"
